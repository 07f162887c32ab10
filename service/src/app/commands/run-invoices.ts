import { invoiceNumber, runInvoices, type RunReport } from '../../billing/index.ts';
import { formatPounds } from '../../money/amounts.ts';
import type { Failpoint } from '../../platform/failpoint.ts';
import { createSingleCalls } from '../../platform/database/single-call.ts';
import { monthEnd, type Month } from '../../platform/london-month.ts';
import { OperatorError } from '../../platform/operator-error.ts';
import type { OperatorDeps } from './run-command.ts';

interface Deps extends OperatorDeps {
  failpoint: Failpoint;
  /** For whoever watches. */
  say: (text: string) => void;
}

const sayEveryMs = 2_000;

/** Says from time to time how far it is; nothing, where it is soon done. */
function createProgress(say: (text: string) => void): (done: number, of: number) => void {
  const startedAt = performance.now();
  let saidAt = startedAt;
  return (done, of) => {
    const now = performance.now();
    if (now - saidAt < sayEveryMs) return;
    saidAt = now;
    const perSecond = (done * 1_000) / Math.max(1, now - startedAt);
    const left = Math.ceil((of - done) / perSecond);
    say(`${done} of ${of} partners, ${perSecond.toFixed(1)} a second, ${left} s left`);
  };
}

export function assertMonthIsOver(month: Month, now: Date): void {
  if (now < monthEnd(month))
    throw new OperatorError(`${month} is not over yet. It is invoiced from ${monthEnd(month).toISOString()} on.`);
}

/** The monthly run by hand. It does no more than the job, and may run beside it. */
export async function runInvoicesByHand(
  deps: Deps,
  { upto, isTrial }: { upto: Month; isTrial: boolean },
): Promise<RunReport> {
  const calls = createSingleCalls(deps.pool, deps.failpoint);
  return runInvoices({ ...deps, calls }, { upto, isTrial, onProgress: createProgress(deps.say) });
}

export function describeRun(period: string, report: RunReport, { isTrial }: { isTrial: boolean }): string {
  const { partners, invoices, firstNumber, lastNumber, total, empty, closedBefore, failed } = report;
  const numbers =
    firstNumber === null || lastNumber === null
      ? ''
      : `, ${[...new Set([invoiceNumber(firstNumber), invoiceNumber(lastNumber)])].join(' to ')}`;
  const lines = [
    `Invoices up to ${period}: ${partners} ${partners === 1 ? 'partner has' : 'partners have'} books to be closed.`,
    `  ${invoices} ${invoices === 1 ? 'invoice' : 'invoices'} ${isTrial ? 'to be issued' : 'issued'}${numbers}, ${formatPounds(total)} GBP in all.`,
    ...(empty === 0 ? [] : [`  ${empty} months without an invoice: nothing was charged in them.`]),
    ...(closedBefore === 0 ? [] : [`  ${closedBefore} partners were invoiced by another run meanwhile.`]),
    ...(failed === 0 ? [] : [`  ${failed} partners FAILED. The log says why; run it again.`]),
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
