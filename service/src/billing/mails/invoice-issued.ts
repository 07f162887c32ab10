import { formatPounds, type Pence } from '../../money/amounts.ts';
import type { MailMessage } from '../../platform/mail/layout.ts';
import { printDay, printMonth, printPounds } from '../pdf/printed-invoice.ts';

interface IssuedInvoice {
  business: string;
  /** As KP-000042. */
  number: string;
  period: string;
  total: Pence;
  dueAt: Date;
  link: string | null;
}

export function invoiceIssuedMail({ business, number, period, total, dueAt, link }: IssuedInvoice): MailMessage {
  const month = printMonth(period);
  const amount = printPounds(formatPounds(total));
  const due = total === 0n ? 'Nothing to pay' : printDay(dueAt);
  return {
    subject: `Invoice ${number} for ${month}: ${amount}`,
    lead:
      total === 0n
        ? `Your Kelpie invoice for ${month} is ${amount}. There is nothing to pay.`
        : `Your Kelpie invoice for ${month} is ${amount}, due on ${due}.`,
    blocks: [
      {
        kind: 'facts',
        facts: [
          ['Invoice', number],
          ['Billed to', business],
          ['Month', month],
          ['Total', amount],
          ['Due', due],
        ],
      },
      { kind: 'words', text: 'The invoice is attached as a PDF.' },
      ...(link === null ? [] : [{ kind: 'link', label: 'View invoice', url: link } as const]),
      {
        kind: 'aside',
        text: 'An admin can change where we send invoices: in the dashboard under Settings, “Billing email”.',
      },
    ],
  };
}
