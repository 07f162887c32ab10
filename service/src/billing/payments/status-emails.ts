import type { Transaction } from '../../platform/database/transaction.ts';
import type { JobSender, Queue } from '../../platform/jobs/jobs.ts';

/** Created in the transaction that changes the status of an invoice. Its handler is in `emailing/`. */
export const emailInvoiceStatus: Queue = { name: 'email-invoice-status', retryLimit: 20 };

interface ChangedInvoice {
  partnerId: string;
  invoiceId: string;
  status: 'paid' | 'overdue';
}

export async function enqueueStatusEmail(
  tx: Transaction,
  jobs: Pick<JobSender, 'enqueue'>,
  { partnerId, invoiceId, status }: ChangedInvoice,
): Promise<void> {
  await jobs.enqueue(tx, emailInvoiceStatus, { partner_id: partnerId, invoice_id: invoiceId, status });
}
