import { invoiceNumber, runInvoices, type RunReport } from '../../billing/index.ts';
import { formatPounds } from '../../money/amounts.ts';
import type { Failpoint } from '../../platform/failpoint.ts';
import { createSingleCalls } from '../../platform/database/single-call.ts';
import { monthEnd, type Month } from '../../platform/london-month.ts';
import { OperatorError } from '../../platform/operator-error.ts';
import { withJobs } from '../wiring/with-jobs.ts';
import { counted, pounds } from './printing.ts';
import type { OperatorDeps } from './run-command.ts';

interface Deps extends OperatorDeps {
  failpoint: Failpoint;
  report: (text: string) => void;
}

const reportEveryMs = 2_000;

function createProgress(report: (text: string) => void): (done: number, of: number) => void {
  const startedAt = performance.now();
  let reportedAt = startedAt;
  return (done, of) => {
    const now = performance.now();
    if (now - reportedAt < reportEveryMs) return;
    reportedAt = now;
    const perSecond = (done * 1_000) / Math.max(1, now - startedAt);
    const left = Math.ceil((of - done) / perSecond);
    report(`${done} of ${of} partners, ${perSecond.toFixed(1)} per second, ${left} s left`);
  };
}

export function assertMonthIsOver(month: Month, now: Date): void {
  if (now < monthEnd(month))
    throw new OperatorError(`${month} has not ended yet. Invoice it from ${monthEnd(month).toISOString()} on.`);
}

/** The same work as the monthly job, which it may run beside. */
export async function runInvoicesByHand(
  deps: Deps,
  { upto, isTrial }: { upto: Month; isTrial: boolean },
): Promise<RunReport> {
  const calls = createSingleCalls(deps.pool, deps.failpoint);
  const onProgress = createProgress(deps.report);
  return withJobs(deps, async (jobs) => runInvoices({ ...deps, calls, jobs }, { upto, isTrial, onProgress }));
}

export function describeRun(period: string, report: RunReport, { isTrial }: { isTrial: boolean }): string {
  const { partners, invoices, firstNumber, lastNumber, total, empty, closedBefore, failed } = report;
  const numbers =
    firstNumber === null || lastNumber === null
      ? ''
      : `, ${[...new Set([invoiceNumber(firstNumber), invoiceNumber(lastNumber)])].join(' to ')}`;
  const lines = [
    `Invoices up to ${period}: ${counted(partners, 'partner')} to invoice.`,
    `  ${counted(invoices, 'invoice')} ${isTrial ? 'would be issued' : 'issued'}${numbers}, total ${pounds(total)}.`,
    ...(empty === 0 ? [] : [`  ${counted(empty, 'month')} without charges, not invoiced.`]),
    ...(closedBefore === 0 ? [] : [`  ${counted(closedBefore, 'partner')} invoiced by another run meanwhile.`]),
    ...(failed === 0 ? [] : [`  ${counted(failed, 'partner')} failed. The log has the reasons. Run it again.`]),
  ];
  return lines.join('\n');
}

function numberOrNull(number: bigint | null): string | null {
  return number === null ? null : invoiceNumber(number);
}

export function reportAsJson(period: string, report: RunReport) {
  const { partners, invoices, empty, closedBefore, failed } = report;
  return {
    period,
    partners,
    invoices,
    first_number: numberOrNull(report.firstNumber),
    last_number: numberOrNull(report.lastNumber),
    total_gbp: formatPounds(report.total),
    empty,
    closed_before: closedBefore,
    failed,
  };
}
