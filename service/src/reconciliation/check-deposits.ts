import type { DepositLine } from '../banks/index.ts';
import { inTransaction } from '../platform/database/transaction.ts';
import { mergeDepositEvents } from '../funding/index.ts';
import { compareDeposit, type ListedDeposit, type OurDeposit } from './compare-deposit.ts';
import { clockSkewMs, type Window } from './cut-off.ts';
import type { Comparison, Difference } from './cases/difference.ts';
import { BankSilent, type Comparing } from './deps.ts';
import { findOldestListing, listDeposits, listSources, mostDeposits, type SourceRow } from './store.ts';

/** A hundred lines each. */
const mostPages = 2_000;

/** What a source's list says of each deposit, from its newest line back to an instant; null for all of it. */
async function readListed(
  { bank, signal }: Comparing,
  source: SourceRow,
  from: Date | null,
): Promise<Map<string, ListedDeposit>> {
  const lines: DepositLine[] = [];
  const oldest = from === null ? null : new Date(from.getTime() - clockSkewMs);
  const isBehind = ({ at }: DepositLine): boolean => oldest !== null && at !== null && at < oldest;
  let after: string | null = null;
  for (let pages = 0; pages < mostPages; pages += 1) {
    signal?.throwIfAborted();
    const page = await bank.listDeposits(source, after);
    if (page === null) throw new BankSilent("the bank's list of deposits could not be read");
    const within = page.lines.findIndex(isBehind);
    lines.push(...(within === -1 ? page.lines : page.lines.slice(0, within)));
    if (within !== -1 || page.next === null) return listedFrom(lines);
    after = page.next;
  }
  throw new BankSilent("the bank's list of deposits does not end");
}

function listedFrom(newestFirst: readonly DepositLine[]): Map<string, ListedDeposit> {
  const changedAt = new Map<string, Date | null>();
  for (const { event, changedAt: at } of newestFirst)
    if (event !== null) changedAt.set(event.depositId, later(changedAt.get(event.depositId) ?? null, at));
  const news = mergeDepositEvents(newestFirst.toReversed());
  return new Map(news.map((one) => [one.depositId, { ...one, changedAt: changedAt.get(one.depositId) ?? null }]));
}

function later(one: Date | null, other: Date | null): Date | null {
  return one === null || (other !== null && other > one) ? other : one;
}

/** A deposit that either side has; at least one of the two is there. */
interface Pair {
  listed: ListedDeposit | null;
  ours: OurDeposit | null;
}

/**
 * Every deposit of one source that either side has since then, by the bank's id. A deposit has lines of many days: where one
 * of ours began before, the list is read back to its beginning, since what is missing would be taken for not having happened.
 */
export async function readPairs(
  comparing: Comparing,
  source: SourceRow,
  from: Date | null,
): Promise<Map<string, Pair>> {
  const { pool, partnerEnvironment } = comparing;
  const recent = await readListed(comparing, source, from);
  const known = await inTransaction(pool, partnerEnvironment, async (tx) =>
    listDeposits(tx, partnerEnvironment, { method: source.method, bankIds: [...recent.keys()], since: from }),
  );
  if (known.length >= mostDeposits) throw new BankSilent('too many deposits to compare at once');
  const began = known.filter(({ bankDepositId }) => recent.has(bankDepositId)).map(({ listedAt }) => listedAt);
  const isAllThere = from === null || began.every((at) => at !== null && at >= from);
  const listed = isAllThere ? recent : await readListed(comparing, source, earliest(began));
  const ours = new Map(known.map((deposit) => [deposit.bankDepositId, deposit]));
  const ids = new Set([...recent.keys(), ...ours.keys()]);
  return new Map([...ids].map((id) => [id, { listed: listed.get(id) ?? null, ours: ours.get(id) ?? null }]));
}

/** Null where one is not known. */
function earliest(instants: readonly (Date | null)[]): Date | null {
  const known = instants.flatMap((at) => (at === null ? [] : [at.getTime()]));
  return known.length < instants.length ? null : new Date(Math.min(...known));
}

async function compareSource(
  comparing: Comparing,
  source: SourceRow,
  { from, cutOff }: Window,
): Promise<Map<string, Comparison>> {
  const pairs = await readPairs(comparing, source, from);
  return new Map([...pairs].map(([id, { ours, listed }]) => [id, compareDeposit(ours, listed, cutOff)]));
}

export interface CheckedDeposits {
  differences: Difference[];
  compared: number;
  inFlight: number;
}

/** A source with something that does not fit is read once more: what differs then, too, is a difference. */
async function checkSource(comparing: Comparing, source: SourceRow, window: Window): Promise<CheckedDeposits> {
  const first = [...(await compareSource(comparing, source, window)).values()];
  const isSuspect = first.some(({ kind }) => kind === 'different');
  const all = isSuspect ? [...(await compareSource(comparing, source, window)).values()] : first;
  return {
    differences: all.flatMap((comparison) => (comparison.kind === 'different' ? [comparison.difference] : [])),
    compared: all.filter(({ kind }) => kind === 'equal').length,
    inFlight: all.filter(({ kind }) => kind === 'in_flight').length,
  };
}

export async function checkDeposits(comparing: Comparing, window: Window): Promise<CheckedDeposits> {
  const { pool, partnerEnvironment } = comparing;
  const sources = await inTransaction(pool, partnerEnvironment, async (tx) =>
    listSources(tx, partnerEnvironment.customerId),
  );
  const total: CheckedDeposits = { differences: [], compared: 0, inFlight: 0 };
  for (const source of sources) {
    const checked = await checkSource(comparing, source, window);
    total.differences.push(...checked.differences);
    total.compared += checked.compared;
    total.inFlight += checked.inFlight;
  }
  return total;
}

/** These anew, however old they are, by the bank's ids. One that is not in the answer is on neither side any more. */
export async function recheckDeposits(
  comparing: Comparing,
  bankIds: readonly string[],
): Promise<Map<string, Comparison>> {
  const { pool, partnerEnvironment, run } = comparing;
  const { sources, from } = await inTransaction(pool, partnerEnvironment, async (tx) => ({
    sources: await listSources(tx, partnerEnvironment.customerId),
    from: await findOldestListing(tx, bankIds),
  }));
  if (sources.length === 0) throw new BankSilent('the bank has no list of these deposits');
  const found = new Map<string, Comparison>();
  for (const source of sources) {
    const compared = await compareSource(comparing, source, { from, cutOff: run.cutOff });
    for (const id of bankIds) {
      const comparison = compared.get(id);
      if (comparison !== undefined) found.set(id, comparison);
    }
  }
  return found;
}
