import { dashboardPages } from '../../platform/dashboard-pages.ts';
import { inTransaction } from '../../platform/database/transaction.ts';
import type { JobHandler } from '../../platform/jobs/jobs.ts';
import type { MailMessage } from '../../platform/mail/layout.ts';
import { invoiceNumber, type Invoice } from '../invoices/invoice.ts';
import { findBillingEmail, findInvoice, markEmailed } from '../invoices/store.ts';
import { invoiceOverdueMail } from '../mails/invoice-overdue.ts';
import { invoicePaidMail } from '../mails/invoice-paid.ts';
import { attachmentKind, type EmailInvoiceDeps } from './email-invoice.ts';

type Status = 'paid' | 'overdue';

function isStatus(text: string | undefined): text is Status {
  return text === 'paid' || text === 'overdue';
}

function messageOf(status: Status, invoice: Invoice, dashboardUrl: string | null): MailMessage {
  const { id, total, paid, paidOn, dueAt, period } = invoice;
  const link = dashboardUrl === null ? null : dashboardUrl + dashboardPages.invoice(id);
  const named = { business: invoice.billedTo.name, number: invoiceNumber(invoice.number), period, link };
  if (status === 'overdue') return invoiceOverdueMail({ ...named, total, paid, dueAt });
  if (paidOn === null) throw new Error('a paid invoice without a date');
  return invoicePaidMail({ ...named, total, paidOn });
}

/**
 * Posts the email once: whoever marks the invoice posts it, in the same transaction. It goes to the address that the account
 * has now. One that was paid or voided before its reminder went out gets none.
 */
export function createStatusMailer(deps: EmailInvoiceDeps): JobHandler {
  const { pool, calls, clock, logger, outbox, findFirstAdmin, dashboardUrl } = deps;
  return async ({ arguments: { partner_id: partnerId, invoice_id: id, status } }) => {
    if (partnerId === undefined || id === undefined || !isStatus(status)) throw new Error('a job names no invoice');
    const invoice = await findInvoice(calls, partnerId, id);
    if (invoice === null) throw new Error('a job names an invoice that does not exist');
    if (invoice.status !== status) return;
    const posted = await inTransaction(pool, { partnerId, environment: 'live' }, async (tx) => {
      const to = (await findBillingEmail(tx, partnerId)) ?? (await findFirstAdmin(tx));
      if (to === null) return 'nobody';
      if (!(await markEmailed(tx, { id, event: status, at: clock.now() }))) return 'before';
      const message = messageOf(status, invoice, dashboardUrl);
      const attachment = { kind: attachmentKind, partnerId, id };
      await outbox.post(tx, { kind: `invoice-${status}`, to, message, attachment });
      return 'now';
    });
    if (posted === 'nobody') logger.warn({ partner_id: partnerId, invoice_id: id }, 'invoice.no_billing_email');
  };
}
