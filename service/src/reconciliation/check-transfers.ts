import { openRecipientId, type PaymentPage, type PaymentRecord } from '../banks/index.ts';
import { inTransaction } from '../platform/database/transaction.ts';
import { recheckFloatMove } from './check-float-moves.ts';
import { compareTransfer, judgeStranger, type OurTransfer } from './compare-transfer.ts';
import { clockSkewMs, lateChangesMs, type TransferWindow, type Window } from './cut-off.ts';
import { equal, type Difference, type Recheck } from './cases/difference.ts';
import { matchTransfers, TransferMatcher, type Suspect } from './match-transfers.ts';
import { atTheBeginning, type TransferProgress } from './progress/transfer-progress.ts';
import { BankSilent, type Comparing } from './deps.ts';
import { readPatiently } from './read-patiently.ts';
import {
  findFirstTransfer,
  findPayoutOfOrder,
  findTransfer,
  listOpenTransfers,
  listTransfers,
  transfersAtOnce,
  type RecipientOpener,
} from './store.ts';

const minuteMs = 60_000;
const longestSliceMs = 30 * 24 * 60 * minuteMs;
const fewTransfers = 1_000;

/** What does not open was changed outside, or its data key is gone: a person has to look. */
function recipientOpener({ encryptor, partnerEnvironment }: Comparing): RecipientOpener {
  return (accountIndex, encrypted) => {
    if (encryptor === null || encrypted === null) return null;
    const id = openRecipientId(encryptor, { ...partnerEnvironment, accountIndex }, encrypted);
    return id === null ? 'unreadable' : { id };
  };
}

/** A slice of time after the other, each as long as the one before it makes seem right. */
async function* ourTransfers(
  comparing: Comparing,
  { from, cutOff }: Window,
  reachedMs: number,
): AsyncGenerator<OurTransfer[]> {
  const { pool, partnerEnvironment, signal } = comparing;
  const oldest =
    from ?? (await inTransaction(pool, partnerEnvironment, async (tx) => findFirstTransfer(tx, partnerEnvironment)));
  if (oldest === null) return;
  const open = recipientOpener(comparing);
  let to = reachedMs < cutOff.getTime() ? new Date(reachedMs) : cutOff;
  let sliceMs = 15 * minuteMs;
  while (to > oldest) {
    signal?.throwIfAborted();
    const slice = { from: new Date(Math.max(oldest.getTime(), to.getTime() - sliceMs)), to, open };
    const page = await inTransaction(pool, partnerEnvironment, async (tx) =>
      listTransfers(tx, partnerEnvironment, slice),
    );
    if (page.length > transfersAtOnce && sliceMs > 1) {
      sliceMs = Math.ceil(sliceMs / 4);
      continue;
    }
    if (page.length > 0) yield page;
    to = slice.from;
    if (page.length < fewTransfers) sliceMs = Math.min(sliceMs * 2, longestSliceMs);
  }
}

/** Ten million lines: ten days of a partner that pays a million times a day. */
const mostPages = 100_000;

/** What the bank has since then, newest first. */
async function* bankTransfers(
  comparing: Comparing,
  since: Date | null,
  begin: string | null,
): AsyncGenerator<PaymentPage> {
  const { bank, partnerEnvironment } = comparing;
  let after = begin;
  const oldest = since === null ? null : new Date(since.getTime() - clockSkewMs);
  for (let pages = 0; pages < mostPages; pages += 1) {
    const from = after;
    const page = await readPatiently(comparing, async () => bank.listPayments(partnerEnvironment.customerId, from));
    if (page === null) throw new BankSilent("the bank's list of transfers could not be read");
    if (page.payments.length > 0) yield page;
    const endsAt = page.payments.at(-1)?.createdAt ?? null;
    if (page.next === null || (oldest !== null && endsAt !== null && endsAt < oldest)) return;
    after = page.next;
  }
  throw new BankSilent("the bank's list of transfers does not end");
}

/** Where a comparison is, and how it tells. */
interface Listing {
  matcher: TransferMatcher;
  begin: TransferProgress;
  onProgress: (lines: number) => void;
}

/** Everything in the window, put side by side. What did not fit is a suspect, and no more. */
async function compareWindow(
  comparing: Comparing,
  window: TransferWindow,
  { matcher, begin, onProgress }: Listing,
): Promise<string | null> {
  const { pool, partnerEnvironment, progress } = comparing;
  const reachedMs = begin.reachedMs ?? Infinity;
  const open = recipientOpener(comparing);
  for (const payoutId of begin.matcher?.waiting ?? []) {
    const transfer = await inTransaction(pool, partnerEnvironment, async (tx) =>
      findTransfer(tx, partnerEnvironment, { payoutId, open }),
    );
    if (transfer !== null) matcher.addOurs(transfer);
  }
  let { after, edge } = begin;
  const isInside = ({ createdAt }: PaymentRecord): boolean =>
    createdAt === null || window.from === null || createdAt >= window.from;
  const ours = ourTransfers(comparing, window, reachedMs);
  const theirs = bankTransfers(comparing, window.from, after);
  await matchTransfers(matcher, { ours, theirs, reachedMs }, async (reached, page) => {
    after = page.payments.at(-1)?.id ?? after;
    edge = page.payments.findLast(isInside)?.id ?? edge;
    const finite = Number.isFinite(reached) ? reached : null;
    await progress?.save({ phase: 'window', after, edge, reachedMs: finite, matcher: matcher.stateAt(reached) });
    onProgress(matcher.compared);
  });
  return edge;
}

/** Whether the bank leaves out what did not change. One that does not would show all its history. */
function isNarrowed({ payments }: PaymentPage, changedSince: Date): boolean {
  return payments.every(({ changedAt }) => changedAt === null || changedAt >= changedSince);
}

/**
 * What is older than the window and changed at the bank since it was compared, as a payment that came back: each against its
 * payout. What changes a hundred days after it was made, or at a bank that does not say what changed, still moves the balance.
 */
async function compareChanged(
  comparing: Comparing,
  changedSince: Date,
  { matcher, begin, onProgress }: Listing,
): Promise<void> {
  const { bank, partnerEnvironment, run, progress } = comparing;
  const oldest = new Date(run.cutOff.getTime() - lateChangesMs);
  let { after } = begin;
  for (let pages = 0; pages < mostPages; pages += 1) {
    const from = after;
    const page = await readPatiently(comparing, async () =>
      bank.listPayments(partnerEnvironment.customerId, from, changedSince),
    );
    if (page === null) throw new BankSilent("the bank's list of changed transfers could not be read");
    const isOld = page.payments.every(({ createdAt }) => createdAt !== null && createdAt < oldest);
    if (isOld || !isNarrowed(page, changedSince)) return;
    await comparePairs(comparing, page, matcher);
    onProgress(matcher.compared);
    after = page.next;
    if (after === null) return;
    await progress?.save({ ...begin, after, matcher: matcher.stateAt(Infinity) });
  }
  throw new BankSilent("the bank's list of changed transfers does not end");
}

async function comparePairs(comparing: Comparing, page: PaymentPage, matcher: TransferMatcher): Promise<void> {
  const { pool, partnerEnvironment } = comparing;
  const open = recipientOpener(comparing);
  for (const payment of page.payments) {
    const transfer = await inTransaction(pool, partnerEnvironment, async (tx) => {
      const payoutId = await findPayoutOfOrder(tx, payment.ourReference);
      return payoutId === null ? null : findTransfer(tx, partnerEnvironment, { payoutId, open });
    });
    matcher.addPair(transfer, payment);
  }
}

/** Goes on where an earlier attempt was killed, and leaves at each page where a later one would. */
export async function findSuspects(
  comparing: Comparing,
  window: TransferWindow,
  onProgress: (lines: number) => void,
): Promise<TransferMatcher> {
  const begin = comparing.progress?.begin ?? atTheBeginning;
  const matcher = new TransferMatcher(window, begin.matcher);
  const listing = { matcher, begin, onProgress };
  const save = async (state: Omit<TransferProgress, 'matcher'>): Promise<void> =>
    comparing.progress?.save({ ...state, matcher: matcher.stateAt(Infinity) });
  if (begin.phase === 'window') {
    const edge = await compareWindow(comparing, window, listing);
    listing.begin = { ...begin, phase: 'changed', after: edge, edge, reachedMs: null };
    await save(listing.begin);
  }
  if (begin.phase !== 'done' && window.changedSince !== null)
    await compareChanged(comparing, window.changedSince, listing);
  await save({ ...listing.begin, phase: 'done' });
  return matcher;
}

/** Reads both sides of one line anew, wherever it lies in time. */
export async function recheckTransfer(comparing: Comparing, { paymentId, payoutId }: Suspect): Promise<Recheck> {
  const { bank, pool, partnerEnvironment, run } = comparing;
  const found = await bank.findRecord(paymentId);
  if (found.kind === 'unknown') return { kind: 'unknown' };
  const payment = found.kind === 'found' ? found.payment : null;
  const ofFloat = payment === null ? null : await recheckFloatMove(comparing, payment);
  if (ofFloat !== null) return ofFloat;
  const ours = await inTransaction(pool, partnerEnvironment, async (tx) => {
    const id = (await findPayoutOfOrder(tx, payment?.ourReference ?? null)) ?? payoutId;
    return id === null
      ? null
      : findTransfer(tx, partnerEnvironment, { payoutId: id, open: recipientOpener(comparing) });
  });
  if (ours === null) return payment === null ? equal : judgeStranger(payment, null, run.cutOff);
  const isOwn = payment === null || ours.paymentId === null || ours.paymentId === payment.id;
  return isOwn ? compareTransfer(ours, payment, run.cutOff) : judgeStranger(payment, ours.payoutId, run.cutOff);
}

interface Confirmed {
  differences: Difference[];
  /** Where the bank stopped answering; what it did answer for stands. */
  trouble: string | null;
}

/** What is left of the suspects once both sides were asked again, and what became of payouts that are stuck. */
export async function confirmSuspects(
  comparing: Comparing,
  matcher: TransferMatcher,
  { from }: Window,
): Promise<Confirmed> {
  const differences: Difference[] = [];
  const stuck = from === null ? [] : await listStuck(comparing, from);
  for (const suspect of [...matcher.suspects, ...stuck]) {
    comparing.signal?.throwIfAborted();
    const recheck = await recheckTransfer(comparing, suspect);
    if (recheck.kind === 'unknown') return { differences, trouble: 'a transfer could not be read from the bank' };
    if (recheck.kind === 'different') differences.push(recheck.difference);
    else if (recheck.kind === 'in_flight') matcher.inFlight += 1;
    else matcher.compared += 1;
  }
  return { differences, trouble: null };
}

const mostStuck = 1_000;

/** Payouts that are older than the window and not at their end. The bank may not have changed them since. */
async function listStuck({ pool, partnerEnvironment }: Comparing, before: Date): Promise<Suspect[]> {
  return inTransaction(pool, partnerEnvironment, async (tx) => listOpenTransfers(tx, { before, atMost: mostStuck }));
}
