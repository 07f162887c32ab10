// What a worker does for billing: issues the invoices of the month before, and emails them.
import type { JobHandler, Queue } from '../platform/jobs/jobs.ts';
import { monthBefore, monthOf } from '../platform/london-month.ts';
import { createInvoiceMailer, type EmailInvoiceDeps } from './emailing/email-invoice.ts';
import { emailInvoice } from './invoices/close-month.ts';
import { runInvoices, type RunDeps } from './invoices/run-invoices.ts';

/**
 * It runs every hour, and finds something to do on the first of a month only, by London's clock. If something kept it from
 * its work then, it does it an hour later.
 */
const issueInvoices: Queue = { name: 'issue-invoices', retryLimit: 20, schedule: '5 * * * *' };

export const billingQueues: readonly Queue[] = [issueInvoices, emailInvoice];

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
  ];
}
