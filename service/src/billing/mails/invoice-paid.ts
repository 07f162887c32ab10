import { formatPounds, type Pence } from '../../money/amounts.ts';
import { dayStart, type Day } from '../../platform/london-day.ts';
import type { MailMessage } from '../../platform/mail/layout.ts';
import { printDay, printMonth, printPounds } from '../pdf/printed-invoice.ts';

interface PaidInvoice {
  business: string;
  /** As KP-000042. */
  number: string;
  period: string;
  total: Pence;
  paidOn: Day;
  link: string | null;
}

export function invoicePaidMail({ business, number, period, total, paidOn, link }: PaidInvoice): MailMessage {
  const month = printMonth(period);
  const amount = printPounds(formatPounds(total));
  return {
    subject: `Payment received for invoice ${number}: ${amount}`,
    lead: `We received your payment of ${amount} for ${month}. Invoice ${number} is paid.`,
    blocks: [
      {
        kind: 'facts',
        facts: [
          ['Invoice', number],
          ['Billed to', business],
          ['Month', month],
          ['Total', amount],
          ['Received', printDay(dayStart(paidOn))],
        ],
      },
      { kind: 'words', text: 'The paid invoice is attached as a PDF.' },
      ...(link === null ? [] : [{ kind: 'link', label: 'View invoice', url: link } as const]),
    ],
  };
}
