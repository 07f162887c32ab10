import type { PayoutStatus } from '@kelpie/sdk';

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

export function invoiceStatusLabels(status: string): StatusLabels {
  return invoiceStatuses[status] ?? { label: status, mark: 'pending' };
}

/** Credits are subtracted from the total, all other lines added. */
export function isSubtracted(kind: string): boolean {
  return kind === 'credit';
}
