import { formatPounds, type Pence } from '../../money/amounts.ts';
import type { MailMessage } from '../../platform/mail/layout.ts';
import { printDay, printMonth, printPounds } from '../pdf/printed-invoice.ts';

interface OverdueInvoice {
  business: string;
  /** As KP-000042. */
  number: string;
  period: string;
  total: Pence;
  /** What was paid of it so far. */
  paid: Pence;
  dueAt: Date;
  link: string | null;
}

export function invoiceOverdueMail(invoice: OverdueInvoice): MailMessage {
  const { business, number, period, total, paid, dueAt, link } = invoice;
  const month = printMonth(period);
  const left = printPounds(formatPounds(total - paid));
  const due = printDay(dueAt);
  return {
    subject: `Invoice ${number} for ${month} is overdue: ${left}`,
    lead: `We have not received ${left} of your Kelpie invoice for ${month}. It was due on ${due}.`,
    blocks: [
      {
        kind: 'facts',
        facts: [
          ['Invoice', number],
          ['Billed to', business],
          ['Month', month],
          ['Total', printPounds(formatPounds(total))],
          ...(paid === 0n ? [] : [['Received', printPounds(formatPounds(paid))] satisfies [string, string]]),
          ['Left to pay', left],
          ['Due', due],
        ],
      },
      {
        kind: 'words',
        text: `The attached PDF says how to pay. Use ${number} as the reference. If you have paid in the last days, ignore this email.`,
      },
      ...(link === null ? [] : [{ kind: 'link', label: 'View invoice', url: link } as const]),
    ],
  };
}
