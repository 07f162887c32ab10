import { formatExactUsdc, type MicroUsdc } from '../money/amounts.ts';
import { inTransaction } from '../platform/database/transaction.ts';
import { BankTail } from './bank-tail.ts';
import { readPairs } from './check-deposits.ts';
import { explainFloatMove } from './check-float-moves.ts';
import { effectOfDeposit } from './compare-deposit.ts';
import { clockSkewMs, cutOffAt } from './cut-off.ts';
import type { Difference } from './cases/difference.ts';
import { BankSilent, type Comparing } from './deps.ts';
import { possibleDifferences, Votes, type Moved } from './possible-differences.ts';
import { findOldestPending, listSources } from './store.ts';
import { sumLedger, type LedgerSum } from './sum-ledger.ts';

/** What both say, and what of the bank's figure is explained by what is under way. */
interface Balance {
  ours: MicroUsdc;
  bank: MicroUsdc;
  inFlight: MicroUsdc;
}

export type CheckedBalance =
  | { kind: 'equal'; balance: Balance }
  | { kind: 'different'; balance: Balance; difference: Difference }
  /** It moved at every look, in ways that the bank's lines did not tell. */
  | { kind: 'restless' };

const mostComparisons = 6;
const mostLooks = 20;
const betweenComparisonsMs = 1_000;

/**
 * A wallet need not stand still. What moved lately is counted by the bank's own lines, everything else by our entries; and
 * where lines move while the balance is read, several looks say which difference they agree on. A difference counts only if
 * two comparisons in a row, each with all lines read anew, come to the same one.
 */
export async function checkBalance(comparing: Comparing): Promise<CheckedBalance> {
  const ours = await sumLedger(comparing, { causes: [], payoutsFrom: null });
  const bank = await readBalance(comparing);
  if (ours.total === bank) return { kind: 'equal', balance: { ours: bank, bank, inFlight: 0n } };
  let before: MicroUsdc | null = null;
  for (let n = 0; n < mostComparisons; n += 1) {
    if (n > 0) await comparing.pause(betweenComparisonsMs);
    const lately = await readLately(comparing);
    const found = await look(comparing, lately);
    if (found?.difference === 0n) return { kind: 'equal', balance: balanceOf(lately, found) };
    if (found !== null && found.difference === before) {
      if (!lately.tail.isWhole) throw new BankSilent('the bank does not say what changed lately');
      const difference = describe(comparing, found.difference);
      return { kind: 'different', balance: balanceOf(lately, found), difference };
    }
    before = found?.difference ?? null;
  }
  return { kind: 'restless' };
}

function describe({ partnerEnvironment }: Comparing, amount: MicroUsdc): Difference {
  const size = formatExactUsdc(amount < 0n ? -amount : amount);
  const detail = `the bank balance is ${size} USDC ${amount < 0n ? 'below' : 'above'} the ledger balance`;
  return { kind: 'wallet_balance', subject: partnerEnvironment.walletId, relatedId: null, amount, detail };
}

async function readBalance({ bank, partnerEnvironment, signal }: Comparing): Promise<MicroUsdc> {
  signal?.throwIfAborted();
  const held = await bank.readBalance(partnerEnvironment);
  if (held === null) throw new BankSilent("the bank's wallet could not be read");
  return held;
}

/** What moved lately by the bank's lines, and all else by our books. */
interface Lately {
  tail: BankTail;
  /** What deposits did to the wallet that changed lately. */
  deposits: MicroUsdc;
  /** What the bank did for a move of the float that is under way, and our books do not have yet. */
  float: MicroUsdc;
  ours: LedgerSum;
}

/** Longer than sending a payment takes: a payout that is older was sent, and is in the list, or it is not new there. */
const newestMs = 60_000;

async function readLately(comparing: Comparing): Promise<Lately> {
  const now = comparing.clock.now();
  const cutOff = cutOffAt(now);
  const since = new Date(cutOff.getTime() - clockSkewMs);
  const newFrom = new Date(now.getTime() - newestMs);
  const tail = await BankTail.read(comparing, { since, newFrom });
  const deposits = await readDeposits(comparing, cutOff);
  const causes = [...tail.payoutIds, ...deposits.ids];
  const float = await explainFloatMove(comparing);
  return { tail, deposits: deposits.sum, float, ours: await sumLedger(comparing, { causes, payoutsFrom: newFrom }) };
}

/** Those that wait here, and those that changed at the bank lately. */
async function readDeposits(comparing: Comparing, cutOff: Date): Promise<{ ids: string[]; sum: MicroUsdc }> {
  const { pool, partnerEnvironment } = comparing;
  const sources = await inTransaction(pool, partnerEnvironment, async (tx) =>
    listSources(tx, partnerEnvironment.customerId),
  );
  const lately: { ids: string[]; sum: MicroUsdc } = { ids: [], sum: 0n };
  for (const source of sources) {
    const waits = await inTransaction(pool, partnerEnvironment, async (tx) => findOldestPending(tx, source.method));
    const since = waits !== null && waits < cutOff ? waits : cutOff;
    for (const { listed, ours } of (await readPairs(comparing, source, since)).values()) {
      if (listed === null || listed.changedAt === null || listed.changedAt < cutOff) continue;
      lately.sum += effectOfDeposit(listed) ?? 0n;
      if (ours !== null) lately.ids.push(ours.id);
    }
  }
  return lately;
}

/** How far apart the two were at a look, and what moved in the list before and after. */
interface Look extends Moved {
  apart: MicroUsdc;
  bank: MicroUsdc;
}

interface Found {
  difference: MicroUsdc;
  bank: MicroUsdc;
}

/**
 * The lines and the balance are asked for at once, so that the bank sees to them within moments of each other, however late it
 * answers. Null where the lines have to be read anew, or the looks do not agree.
 */
async function look(comparing: Comparing, { tail, deposits, float, ours }: Lately): Promise<Found | null> {
  await tail.follow(await tail.readNewest());
  const votes = new Votes();
  let last: Look | null = null;
  for (let looks = 0; looks < mostLooks; looks += 1) {
    const [before, bank, after] = await Promise.all([tail.readNewest(), readBalance(comparing), tail.readNewest()]);
    const earlier = await tail.follow(before);
    const apart = bank - ours.others - deposits - float - tail.sum;
    const later = await tail.follow(after);
    if (tail.isStale) return null;
    if (earlier.length + later.length === 0) return { difference: apart, bank };
    // The bank may have read the balance last of the three: then lines that the next look brings are in it.
    const difference: MicroUsdc | null =
      last === null
        ? null
        : votes.add(possibleDifferences(last.apart, { ...last, later: [...last.later, ...earlier] }));
    if (last !== null && difference !== null) return { difference, bank: last.bank };
    last = { apart, bank, earlier, later };
  }
  return null;
}

function balanceOf({ ours }: Lately, { difference, bank }: Found): Balance {
  return { ours: ours.total, bank, inFlight: bank - ours.total - difference };
}
