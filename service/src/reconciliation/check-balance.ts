import { formatExactUsdc, type MicroUsdc } from '../money/amounts.ts';
import { inTransaction } from '../platform/database/transaction.ts';
import { instantOf } from '../platform/ids.ts';
import { readPairs } from './check-deposits.ts';
import { bankTransfers } from './check-transfers.ts';
import { effectOfDeposit } from './compare-deposit.ts';
import { effectOf, type OurTransfer } from './compare-transfer.ts';
import type { Difference } from './cases/difference.ts';
import { BankSilent, type Comparing } from './deps.ts';
import { findOldestPending, findTransfer, listOpenTransfers, listSources, sumAtBank } from './store.ts';

/** What both say at one moment, and what of the bank's figure is explained by what is under way. */
interface Balance {
  ours: MicroUsdc;
  bank: MicroUsdc;
  inFlight: MicroUsdc;
}

export type CheckedBalance =
  | { kind: 'equal'; balance: Balance }
  | { kind: 'different'; balance: Balance; difference: Difference }
  /** It moved at every look. */
  | { kind: 'restless' };

const mostLooks = 12;
const betweenLooksMs = 1_000;
/** With more than this under way at once for one partner, what a wallet holds can not be explained. */
const mostMoving = 2_000;

/** What may explain that the bank's wallet holds something else than our books say. */
export interface Explanation {
  /** Payments that were under way when they were listed, by the bank's id, with their payouts. */
  moving: ReadonlyMap<string, string | null>;
  /** Deposits are read from here on; null for all. */
  depositsFrom: Date | null;
}

/**
 * Money moves while we look, so a difference counts only if two looks in a row come to the same one, with the books standing
 * still around each; that they are equal need be seen once. And something may have begun to move since it was listed: before
 * a difference counts, all is listed anew.
 */
export async function checkBalance(
  comparing: Comparing,
  first: Explanation,
  listAnew: () => Promise<Explanation>,
): Promise<CheckedBalance> {
  const { pool, partnerEnvironment, run } = comparing;
  const settled = await inTransaction(pool, partnerEnvironment, async (tx) =>
    sumAtBank(tx, partnerEnvironment, { from: null, to: run.cutOff }),
  );
  let [explanation, isAnew] = [first, false];
  let before: MicroUsdc | null = null;
  for (let looks = 0; looks < mostLooks; looks += 1) {
    comparing.signal?.throwIfAborted();
    if (looks > 0) await comparing.pause(betweenLooksMs);
    const balance = await look(comparing, settled, explanation);
    if (balance === null) {
      before = null;
      continue;
    }
    const difference: MicroUsdc = balance.bank - balance.ours - balance.inFlight;
    if (difference === 0n) return { kind: 'equal', balance };
    const isSame: boolean = difference === before;
    if (isSame && isAnew) return { kind: 'different', balance, difference: describe(comparing, difference) };
    if (isSame) [explanation, isAnew] = [await listAnew(), true];
    before = isSame ? null : difference;
  }
  return { kind: 'restless' };
}

function describe({ partnerEnvironment }: Comparing, amount: MicroUsdc): Difference {
  const size = formatExactUsdc(amount < 0n ? -amount : amount);
  const detail = `the bank balance is ${size} USDC ${amount < 0n ? 'below' : 'above'} the ledger balance`;
  return { kind: 'wallet_balance', subject: partnerEnvironment.walletId, relatedId: null, amount, detail };
}

/** Null where our books changed meanwhile. */
async function look(
  comparing: Comparing,
  settled: MicroUsdc,
  { moving, depositsFrom }: Explanation,
): Promise<Balance | null> {
  const { bank, pool, partnerEnvironment, run } = comparing;
  const sumOurs = async (): Promise<MicroUsdc> =>
    settled +
    (await inTransaction(pool, partnerEnvironment, async (tx) =>
      sumAtBank(tx, partnerEnvironment, { from: run.cutOff, to: null }),
    ));
  const ours = await sumOurs();
  const held = await bank.readBalance(partnerEnvironment);
  if (held === null) throw new BankSilent("the bank's wallet could not be read");
  if (ours === held) return { ours, bank: held, inFlight: 0n };
  const inFlight = (await explainTransfers(comparing, moving)) + (await explainDeposits(comparing, depositsFrom));
  return ours === (await sumOurs()) ? { ours, bank: held, inFlight } : null;
}

/** What the bank has done for payouts that are not at their end here, and our books do not have yet. */
async function explainTransfers(comparing: Comparing, moving: ReadonlyMap<string, string | null>): Promise<MicroUsdc> {
  const { bank, pool, partnerEnvironment } = comparing;
  const open = await inTransaction(pool, partnerEnvironment, async (tx) => listOpenTransfers(tx, mostMoving + 1));
  const payouts = new Map<string, string | null>(open.map((payoutId) => [payoutId, null]));
  for (const [paymentId, payoutId] of moving) if (payoutId !== null) payouts.set(payoutId, paymentId);
  if (payouts.size > mostMoving) throw new BankSilent('too many payouts are in flight to explain the balance');
  const unnamed: OurTransfer[] = [];
  let explained = 0n;
  for (const [payoutId, seenAs] of payouts) {
    const ours = await inTransaction(pool, partnerEnvironment, async (tx) =>
      // Who was paid makes no difference to the balance.
      findTransfer(tx, partnerEnvironment, { payoutId, open: () => null }),
    );
    const paymentId = ours?.paymentId ?? seenAs;
    if (ours === null) continue;
    if (paymentId === null) unnamed.push(ours);
    else {
      const found = await bank.findRecord(paymentId);
      if (found.kind === 'unknown') throw new BankSilent('a transfer in flight could not be read');
      if (found.kind === 'found') explained += effectOf(found.payment) - ours.booked;
    }
  }
  return explained + (await explainUnnamed(comparing, unnamed));
}

/**
 * Payouts that the bank is being asked for, or did not answer about: it may have them, under our order's name. Those from
 * before the cut-off were looked for there already.
 */
async function explainUnnamed(comparing: Comparing, unnamed: readonly OurTransfer[]): Promise<MicroUsdc> {
  const { cutOff } = comparing.run;
  const recent = unnamed.filter(({ payoutId }) => instantOf(payoutId) >= cutOff);
  if (recent.length === 0) return 0n;
  const orders = new Map(recent.map((ours) => [ours.orderId, ours]));
  let explained = 0n;
  for await (const page of bankTransfers(comparing, { from: cutOff, cutOff })) {
    for (const payment of page) {
      const ours = orders.get(payment.ourReference ?? '');
      if (ours !== undefined) explained += effectOf(payment) - ours.booked;
    }
  }
  return explained;
}

/** The same for deposits: those that wait here, and those that changed at the bank since the cut-off. */
async function explainDeposits(comparing: Comparing, from: Date | null): Promise<MicroUsdc> {
  const { pool, partnerEnvironment, run } = comparing;
  const sources = await inTransaction(pool, partnerEnvironment, async (tx) =>
    listSources(tx, partnerEnvironment.customerId),
  );
  let explained = 0n;
  for (const source of sources) {
    const waits = await inTransaction(pool, partnerEnvironment, async (tx) => findOldestPending(tx, source.method));
    const since = from !== null && waits !== null && waits < from ? waits : from;
    for (const { listed, ours } of (await readPairs(comparing, source, since)).values())
      if (listed !== null && listed.changedAt !== null && listed.changedAt >= run.cutOff)
        explained += (effectOfDeposit(listed) ?? 0n) - (ours?.booked ?? 0n);
  }
  return explained;
}
