import type { Pence } from '../../money/amounts.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Failpoint } from '../../platform/failpoint.ts';
import type { Pool } from '../../platform/database/pool.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import type { JobSender } from '../../platform/jobs/jobs.ts';
import type { Logger } from '../../platform/logging.ts';
import { monthEnd, type Month } from '../../platform/london-month.ts';
import { readInPages } from '../../platform/read-in-pages.ts';
import { closeMonth, mostMonths, tryMonths, type ClosedMonth } from './close-month.ts';
import { countBooksToClose, listBooksToClose } from './store.ts';

export interface RunDeps {
  pool: Pool;
  calls: SingleCalls;
  clock: Clock;
  logger: Logger;
  failpoint: Failpoint;
  /** Each invoice is emailed by a job. */
  jobs: Pick<JobSender, 'enqueue'>;
}

/** What a run did. */
export interface RunReport {
  /** Whose books were not closed when it began. */
  partners: number;
  invoices: number;
  firstNumber: bigint | null;
  lastNumber: bigint | null;
  total: Pence;
  /** Months of which there was nothing to be said. */
  empty: number;
  /** Partners whose books another run had closed meanwhile. */
  closedBefore: number;
  /** Partners for whom it did not work: the next run tries again. */
  failed: number;
}

interface RunOptions {
  /** The last month that is invoiced; those before it come first, where they were not. It has to be over. */
  upto: Month;
  /** Everything is reckoned, and nothing kept. Its invoices have no numbers. */
  isTrial?: boolean;
  signal?: AbortSignal;
  onProgress?: (done: number, of: number) => void;
}

const pageSize = 100;

function note(report: RunReport, closed: ClosedMonth): void {
  if (closed.kind === 'empty') report.empty += 1;
  if (closed.kind !== 'invoiced') return;
  report.invoices += 1;
  report.total += closed.total;
}

function recordNumber(report: RunReport, closed: ClosedMonth): void {
  if (closed.kind !== 'invoiced') return;
  report.firstNumber ??= closed.number;
  report.lastNumber = closed.number;
}

/** Those whose books are open, a page at a time: a thousand or a million of them take the same memory. */
function eachPartner(calls: SingleCalls, upto: Date): AsyncGenerator<string> {
  return readInPages(
    async (afterPartner) => listBooksToClose(calls, { upto, afterPartner, atMost: pageSize }),
    (partnerId) => partnerId,
  );
}

async function closePartner(
  deps: RunDeps,
  partnerId: string,
  { upto, isTrial, signal }: RunOptions,
  report: RunReport,
): Promise<void> {
  if (isTrial === true) {
    for (const tried of await tryMonths(deps, { partnerId, upto, at: deps.clock.now() })) note(report, tried);
    return;
  }
  for (let months = 0; months < mostMonths; months += 1) {
    if (signal?.aborted === true) return;
    const closed = await closeMonth(deps, { partnerId, upto, at: deps.clock.now() });
    note(report, closed);
    recordNumber(report, closed);
    if (closed.kind === 'closed_before') {
      if (months === 0) report.closedBefore += 1;
      return;
    }
  }
}

/**
 * Invoices every partner for the month, and for those before it that it finds open. A partner is a transaction a month; so it
 * can be killed, repeated, and run beside itself: whoever comes second finds the books closed. What fails for one partner
 * keeps no other from its invoice.
 */
export async function runInvoices(deps: RunDeps, options: RunOptions): Promise<RunReport> {
  const { calls, clock, logger } = deps;
  const end = monthEnd(options.upto);
  if (clock.now() < end) throw new Error('a month can be invoiced only after it has ended');
  const partners = await countBooksToClose(calls, end);
  const report: RunReport = {
    partners,
    invoices: 0,
    firstNumber: null,
    lastNumber: null,
    total: 0n,
    empty: 0,
    closedBefore: 0,
    failed: 0,
  };
  const isStopped = (): boolean => options.signal?.aborted === true;
  let done = 0;
  for await (const partnerId of eachPartner(calls, end)) {
    if (isStopped()) break;
    try {
      await closePartner(deps, partnerId, options, report);
    } catch (error) {
      report.failed += 1;
      logger.error({ partner_id: partnerId, error }, 'invoice.failed');
    }
    done += 1;
    options.onProgress?.(done, Math.max(partners, done));
  }
  return report;
}
