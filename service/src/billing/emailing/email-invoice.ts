import type { SingleCalls } from '../../platform/database/single-call.ts';
import type { Clock } from '../../platform/clock.ts';
import { dashboardPages } from '../../platform/dashboard-pages.ts';
import type { Pool } from '../../platform/database/pool.ts';
import { inTransaction, type Transaction } from '../../platform/database/transaction.ts';
import type { JobHandler } from '../../platform/jobs/jobs.ts';
import type { Logger } from '../../platform/logging.ts';
import type { AttachmentReference, MailFile } from '../../platform/mail/attachment.ts';
import type { Outbox } from '../../platform/mail/outbox.ts';
import { invoiceIssuedMail } from '../mails/invoice-issued.ts';
import { printIssuedInvoice } from '../pdf/print-invoice.ts';
import type { InvoiceIssuer } from '../pdf/printed-invoice.ts';
import { invoiceNumber } from '../invoices/invoice.ts';
import { findInvoice, markEmailed } from '../invoices/store.ts';

export const attachmentKind = 'invoice';

export interface EmailInvoiceDeps {
  pool: Pool;
  calls: SingleCalls;
  clock: Clock;
  logger: Logger;
  outbox: Outbox;
  /** The admin who joined first, for accounts without a billing email. */
  findFirstAdmin: (tx: Transaction) => Promise<string | null>;
  dashboardUrl: string | null;
}

/** Posts the email once: whoever marks the invoice posts it, in the same transaction. */
export function createInvoiceMailer(deps: EmailInvoiceDeps): JobHandler {
  const { pool, calls, clock, logger, outbox, findFirstAdmin, dashboardUrl } = deps;
  return async ({ arguments: { partner_id: partnerId, invoice_id: id } }) => {
    if (partnerId === undefined || id === undefined) throw new Error('a job names no invoice');
    const invoice = await findInvoice(calls, partnerId, id);
    if (invoice === null) throw new Error('a job names an invoice that does not exist');
    const { name: business, email } = invoice.billedTo;
    const posted = await inTransaction(pool, { partnerId, environment: 'live' }, async (tx) => {
      const to = email ?? (await findFirstAdmin(tx));
      if (to === null) return 'nobody';
      if (!(await markEmailed(tx, { id, event: 'issued', at: clock.now() }))) return 'before';
      const link = dashboardUrl === null ? null : dashboardUrl + dashboardPages.invoice(id);
      const message = invoiceIssuedMail({ ...invoice, number: invoiceNumber(invoice.number), business, link });
      await outbox.post(tx, { kind: 'invoice', to, message, attachment: { kind: attachmentKind, partnerId, id } });
      return 'now';
    });
    if (posted === 'nobody') logger.warn({ partner_id: partnerId, invoice_id: id }, 'invoice.no_billing_email');
  };
}

/** Draws the PDF when the email is sent. */
export async function openInvoiceFile(
  { calls, issuer }: { calls: SingleCalls; issuer: InvoiceIssuer },
  { kind, partnerId, id }: AttachmentReference,
): Promise<MailFile> {
  const invoice = kind === attachmentKind ? await findInvoice(calls, partnerId, id) : null;
  if (invoice === null) throw new Error('an email names a file that does not exist');
  return { ...(await printIssuedInvoice(invoice, issuer)), contentType: 'application/pdf' };
}
