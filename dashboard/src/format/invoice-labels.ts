import type { Invoice, PayoutStatus } from '@kelpie/sdk';
import { amountOf, penceOf } from './money.ts';
import { formatPlainDate } from './time.ts';

const kinds: Readonly<Record<string, string>> = {
  payout_fees: 'Payout fees',
  monthly_account: 'Monthly account',
  business_verification: 'Business verification',
  network_fees: 'Network fees',
  bank_exceptions: 'Returns, recalls and traces',
  credit: 'Credit',
};

/** A kind newer than this page is shown by its API name. */
export function lineLabel(kind: string): string {
  return kinds[kind] ?? kind.replaceAll('_', ' ');
}

interface StatusLabels {
  label: string;
  mark: PayoutStatus;
}

const invoiceStatuses: Readonly<Record<string, StatusLabels>> = {
  draft: { label: 'Draft', mark: 'pending' },
  issued: { label: 'Due', mark: 'processing' },
  paid: { label: 'Paid', mark: 'completed' },
  overdue: { label: 'Overdue', mark: 'failed' },
  void: { label: 'Void', mark: 'cancelled' },
};

/** A paid invoice says since when. One of nothing asks for nothing. */
export function invoiceStatusLabels(invoice: Pick<Invoice, 'status' | 'paid_on' | 'total_gbp'>): StatusLabels {
  const { status, paid_on: paidOn, total_gbp: total } = invoice;
  if (status === 'issued' && total === '0.00') return { label: 'Nothing to pay', mark: 'completed' };
  const labels = invoiceStatuses[status] ?? { label: status, mark: 'pending' };
  return paidOn === null ? labels : { ...labels, label: `${labels.label} ${formatPlainDate(paidOn)}` };
}

/** What is left to pay of it, in the API's form. */
export function leftToPay({ status, total_gbp: total, paid_gbp: paid }: Invoice): string {
  return status === 'void' ? '0.00' : amountOf(penceOf(total) - penceOf(paid));
}

/** Credits are subtracted from the total, all other lines added. */
export function isSubtracted(kind: string): boolean {
  return kind === 'credit';
}
