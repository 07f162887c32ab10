import { ledgerEvents, postTransfers } from '../../ledger/index.ts';
import type { Pence } from '../../money/amounts.ts';
import { noFailpoint, type Failpoint } from '../../platform/failpoint.ts';
import type { Pool } from '../../platform/database/pool.ts';
import { inTransaction, inUndoneTransaction, type Transaction } from '../../platform/database/transaction.ts';
import { newId } from '../../platform/ids.ts';
import type { JobSender, Queue } from '../../platform/jobs/jobs.ts';
import { monthAfter, monthEnd, monthOf, monthStart, type Month } from '../../platform/london-month.ts';
import { chargeMonth } from '../charges/single-charges.ts';
import { draftInvoice, type Drafted, type Invoice } from './invoice.ts';
import { closeBooks, findCarried, gatherIn, getLiveEnvironment, insertInvoice, lockBooks } from './store.ts';

export type ClosedMonth =
  | { kind: 'invoiced'; period: Month; number: bigint; total: Pence }
  /** Nothing was charged or credited in it, not even a monthly account. */
  | { kind: 'empty'; period: Month }
  /** Its books are closed that far already: by an earlier run, or by one beside this. */
  | { kind: 'closed_before' };

/** Created in the transaction that issues an invoice. Its handler is in `emailing/`. */
export const emailInvoice: Queue = { name: 'email-invoice', retryLimit: 20 };

const daysToPay = 14;

/** The moments in between at which a run can die. */
export const closingPoints = [
  'invoice.locked',
  'invoice.charged',
  'invoice.gathered',
  'invoice.booked',
  'invoice.closed',
  'invoice.written',
  'invoice.committed',
] as const;

interface ClosingDeps {
  pool: Pool;
  jobs: Pick<JobSender, 'enqueue'>;
  failpoint: Failpoint;
}

interface Closing {
  partnerId: string;
  /** No month after this one. */
  upto: Month;
  at: Date;
}

/** The month that is invoiced, of a partner that went live at some time. */
interface OpenMonth extends Closing {
  period: Month;
  since: Date;
  closedAt: Date | null;
  billedTo: Invoice['billedTo'];
}

/**
 * Closes the books of a partner's oldest open month, and writes its invoice: one transaction, so that a run that dies leaves
 * all of it or nothing; the job that emails the invoice is part of it. While it goes on nobody posts in pounds for this partner, and afterwards nobody posts into that month.
 */
export async function closeMonth(deps: ClosingDeps, closing: Closing): Promise<ClosedMonth> {
  const closed = await inTransaction(deps.pool, liveEnvironmentOf(closing), async (tx) => closeIn(tx, deps, closing));
  await deps.failpoint('invoice.committed');
  return closed;
}

/** No partner is this far behind. */
export const mostMonths = 600;

/** What closing every open month of a partner's would come to. All of it is undone: nothing stays. */
export async function tryMonths(deps: ClosingDeps, closing: Closing): Promise<ClosedMonth[]> {
  return inUndoneTransaction(deps.pool, liveEnvironmentOf(closing), async (tx) => {
    const tried: ClosedMonth[] = [];
    for (let months = 0; months < mostMonths; months += 1) {
      const closed = await closeIn(tx, { ...deps, failpoint: noFailpoint }, closing);
      if (closed.kind === 'closed_before') break;
      tried.push(closed);
    }
    return tried;
  });
}

function liveEnvironmentOf({ partnerId }: Closing) {
  return { partnerId, environment: 'live' } as const;
}

async function closeIn(tx: Transaction, deps: ClosingDeps, closing: Closing): Promise<ClosedMonth> {
  const { partnerId, upto } = closing;
  const closedUntil = await lockBooks(tx);
  await deps.failpoint('invoice.locked');
  const { since, closedAt, billedTo } = await getLiveEnvironment(tx, partnerId);
  const period = monthOf(closedUntil ?? since);
  if (period > upto) return { kind: 'closed_before' };
  const month = { ...closing, period, since, closedAt, billedTo };
  await chargeAccount(tx, month);
  await deps.failpoint('invoice.charged');
  return writeMonth(tx, deps, month);
}

/** For this month, where that is missing; and for the next, which has begun. None is charged after the one it was closed in. */
async function chargeAccount(tx: Transaction, { partnerId, period, since, closedAt }: OpenMonth): Promise<void> {
  const last = closedAt === null ? monthAfter(period) : monthOf(closedAt);
  for (const month of [period, monthAfter(period)].filter((one) => one <= last))
    await chargeMonth(tx, partnerId, { month, notBefore: since, by: 'invoices' });
}

async function writeMonth(tx: Transaction, { jobs, failpoint }: ClosingDeps, month: OpenMonth): Promise<ClosedMonth> {
  const { partnerId, period, at, billedTo } = month;
  const beginsAt = monthStart(period);
  const endsAt = monthEnd(period);
  const carriedIn = await findCarried(tx, partnerId);
  const gathered = await gatherIn(tx, partnerId, { from: beginsAt, before: endsAt });
  const drafted = draftInvoice(period, gathered, carriedIn);
  await failpoint('invoice.gathered');
  const id = newId({ now: () => at });
  const transferId = await book(tx, { id, partnerId, at }, drafted);
  await failpoint('invoice.booked');
  await closeBooks(tx, endsAt);
  await failpoint('invoice.closed');
  // Credit that was left over waits for something to be used for.
  if (gathered.length === 0) return { kind: 'empty', period };
  const { lines, total, carriedOut } = drafted;
  const dueAt = new Date(at.getTime() + daysToPay * 24 * 60 * 60_000);
  const head = { id, partnerId, billedTo, period, beginsAt, endsAt, issuedAt: at, dueAt };
  const number = await insertInvoice(tx, { ...head, total, carriedIn, carriedOut, lines, transferId });
  await jobs.enqueue(tx, emailInvoice, { partner_id: partnerId, invoice_id: id });
  await failpoint('invoice.written');
  return { kind: 'invoiced', period, number, total };
}

/** What the invoice does in the ledger itself; null where it does nothing. */
async function book(
  tx: Transaction,
  { id: causeId, partnerId, at }: { id: string; partnerId: string; at: Date },
  { accrued, networkFees, creditUsed }: Drafted,
): Promise<string | null> {
  const lines = ledgerEvents.invoiced({ accrued, networkFees, creditUsed });
  if (lines.length === 0) return null;
  const id = newId({ now: () => at });
  await postTransfers(tx, [{ id, partnerId, environment: 'live', reason: 'invoice.issued', causeId, lines }]);
  return id;
}
