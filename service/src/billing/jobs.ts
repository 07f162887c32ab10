// What a worker does for billing: issues the invoices of the month before, marks those that are overdue, and emails them.
import type { JobHandler, Queue } from '../platform/jobs/jobs.ts';
import { monthBefore, monthOf } from '../platform/london-month.ts';
import { createInvoiceMailer, type EmailInvoiceDeps } from './emailing/email-invoice.ts';
import { createStatusMailer } from './emailing/email-status.ts';
import { emailInvoice } from './invoices/close-month.ts';
import { runInvoices, type RunDeps } from './invoices/run-invoices.ts';
import { markOverdueInvoices } from './payments/mark-overdue.ts';
import { emailInvoiceStatus } from './payments/status-emails.ts';

/**
 * It runs every hour, and finds something to do on the first of a month only, by London's clock. If something kept it from
 * its work then, it does it an hour later.
 */
const issueInvoices: Queue = { name: 'issue-invoices', retryLimit: 20, schedule: '5 * * * *' };

/** Not before half past ten: by then, operators have recorded what arrived on the day before. */
const markOverdue: Queue = { name: 'mark-overdue-invoices', retryLimit: 20, schedule: '30 10 * * *' };

export const billingQueues: readonly Queue[] = [issueInvoices, emailInvoice, markOverdue, emailInvoiceStatus];

export function billingHandlers(deps: RunDeps & EmailInvoiceDeps): [Queue, JobHandler][] {
  return [
    [
      issueInvoices,
      async ({ signal }) => {
        const upto = monthBefore(monthOf(deps.clock.now()));
        const { invoices, failed } = await runInvoices(deps, { upto, signal });
        deps.logger.info({ invoices }, 'invoices.issued');
        if (failed > 0) throw new Error('some partners could not be invoiced');
      },
    ],
    [emailInvoice, createInvoiceMailer(deps)],
    [
      markOverdue,
      async ({ signal }) => {
        const invoices = await markOverdueInvoices(deps, signal);
        deps.logger.info({ invoices }, 'invoices.overdue');
      },
    ],
    [emailInvoiceStatus, createStatusMailer(deps)],
  ];
}
