import { invoiceNumber, runInvoices, type RunReport } from '../billing/index.ts';
import { formatPounds } from '../money/amounts.ts';
import type { Clock } from '../platform/clock.ts';
import type { ReachPoint } from '../platform/crash-point.ts';
import { openPool } from '../platform/database/pool.ts';
import { createSingleCalls } from '../platform/database/single-call.ts';
import type { Logger } from '../platform/logging.ts';
import { monthEnd, parseMonth } from '../platform/london-month.ts';
import { OperatorError } from '../platform/operator-error.ts';

interface Parts {
  serviceUrl: string;
  clock: Clock;
  logger: Logger;
  reach: ReachPoint;
  /** For whoever watches. */
  say: (text: string) => void;
}

const sayEveryMs = 2_000;

/** Says from time to time how far it is. */
function createProgress(say: (text: string) => void): (done: number, of: number) => void {
  const startedAt = performance.now();
  let saidAt = startedAt;
  return (done, of) => {
    const now = performance.now();
    if (now - saidAt < sayEveryMs && done < of) return;
    saidAt = now;
    const perSecond = (done * 1_000) / Math.max(1, now - startedAt);
    const left = Math.ceil((of - done) / perSecond);
    say(`${done} of ${of} partners, ${perSecond.toFixed(1)} a second, ${left} s left`);
  };
}

/** The monthly run by hand. It does no more than the job, and may run beside it. */
export async function runInvoicesByHand(parts: Parts, period: string): Promise<RunReport> {
  const upto = parseMonth(period);
  if (upto === undefined) throw new OperatorError('--period takes a month, as 2026-11.');
  if (parts.clock.now() < monthEnd(upto))
    throw new OperatorError(`${upto} is not over yet. It is invoiced from ${monthEnd(upto).toISOString()} on.`);
  const pool = openPool({ url: parts.serviceUrl, connections: 2, applicationName: 'kelpie-cli', logger: parts.logger });
  try {
    const calls = createSingleCalls(pool, parts.reach);
    return await runInvoices({ ...parts, pool, calls }, { upto, onProgress: createProgress(parts.say) });
  } finally {
    await pool.end();
  }
}

export function describeRun(period: string, report: RunReport): string {
  const { partners, invoices, firstNumber, lastNumber, total, empty, closedBefore, failed } = report;
  const numbers =
    firstNumber === null || lastNumber === null
      ? ''
      : `, ${invoiceNumber(firstNumber)} to ${invoiceNumber(lastNumber)}`;
  const lines = [
    `Invoices up to ${period}: ${partners} partners had open books.`,
    `  ${invoices} invoices issued${numbers}, ${formatPounds(total)} GBP in all.`,
    ...(empty === 0 ? [] : [`  ${empty} months closed without an invoice: nothing was charged.`]),
    ...(closedBefore === 0 ? [] : [`  ${closedBefore} partners were invoiced by another run meanwhile.`]),
    ...(failed === 0 ? [] : [`  ${failed} partners FAILED. The log says why; run it again.`]),
  ];
  return `${lines.join('\n')}\n`;
}

function numberOrNull(number: bigint | null): string | null {
  return number === null ? null : invoiceNumber(number);
}

export function reportAsJson(period: string, report: RunReport): string {
  const { partners, invoices, empty, closedBefore, failed } = report;
  const told = {
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
  return `${JSON.stringify(told)}\n`;
}
