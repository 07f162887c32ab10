import { openRecipientId, type PaymentRecord } from '../banks/index.ts';
import { inTransaction } from '../platform/database/transaction.ts';
import { compareTransfer, judgeStranger, type OurTransfer } from './compare-transfer.ts';
import { clockSkewMs, type Window } from './cut-off.ts';
import { equal, type Difference, type Recheck } from './cases/difference.ts';
import { matchTransfers, TooDifferent, TransferMatcher, type Suspect } from './match-transfers.ts';
import { BankSilent, type Comparing } from './deps.ts';
import {
  findFirstTransfer,
  findPayoutOfOrder,
  findTransfer,
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
async function* ourTransfers(comparing: Comparing, { from, cutOff }: Window): AsyncGenerator<OurTransfer[]> {
  const { pool, partnerEnvironment, signal } = comparing;
  const oldest =
    from ?? (await inTransaction(pool, partnerEnvironment, async (tx) => findFirstTransfer(tx, partnerEnvironment)));
  if (oldest === null) return;
  const open = recipientOpener(comparing);
  let to = cutOff;
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

/** Two million lines: more than a partner's whole year. */
const mostPages = 20_000;

/** What the bank has since then, newest first. */
export async function* bankTransfers(
  { bank, partnerEnvironment, signal }: Comparing,
  { from }: Window,
): AsyncGenerator<PaymentRecord[]> {
  let after: string | null = null;
  const oldest = from === null ? null : new Date(from.getTime() - clockSkewMs);
  for (let pages = 0; pages < mostPages; pages += 1) {
    signal?.throwIfAborted();
    const page = await bank.listPayments(partnerEnvironment.customerId, after);
    if (page === null) throw new BankSilent("the bank's list of transfers could not be read");
    if (page.payments.length > 0) yield page.payments;
    const endsAt = page.payments.at(-1)?.createdAt ?? null;
    if (page.next === null || (oldest !== null && endsAt !== null && endsAt < oldest)) return;
    after = page.next;
  }
  throw new BankSilent("the bank's list of transfers does not end");
}

/** Everything in the window, put side by side. What did not fit is a suspect, and no more. */
export async function findSuspects(
  comparing: Comparing,
  window: Window,
  matcher: TransferMatcher,
  onProgress: (lines: number) => void,
): Promise<void> {
  await matchTransfers(matcher, ourTransfers(comparing, window), bankTransfers(comparing, window), onProgress);
}

/** Reads both sides of one line anew, wherever it lies in time. */
export async function recheckTransfer(comparing: Comparing, { paymentId, payoutId }: Suspect): Promise<Recheck> {
  const { bank, pool, partnerEnvironment, run } = comparing;
  const found = await bank.findRecord(paymentId);
  if (found.kind === 'unknown') return { kind: 'unknown' };
  const payment = found.kind === 'found' ? found.payment : null;
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

/** What is under way by now: payments by the bank's id, with their payouts. */
export async function listMoving(comparing: Comparing, window: Window): Promise<ReadonlyMap<string, string | null>> {
  const matcher = new TransferMatcher(window);
  await findSuspects(comparing, window, matcher, () => undefined).catch((error: unknown) => {
    // Where so much differs, what is under way explains little of it.
    if (!(error instanceof TooDifferent)) throw error;
  });
  return matcher.movingPayments;
}

interface Confirmed {
  differences: Difference[];
  /** Where the bank stopped answering; what it did answer for stands. */
  trouble: string | null;
}

/** What is left of the suspects once both sides were asked again. */
export async function confirmSuspects(comparing: Comparing, matcher: TransferMatcher): Promise<Confirmed> {
  const differences: Difference[] = [];
  for (const suspect of matcher.suspects) {
    comparing.signal?.throwIfAborted();
    const recheck = await recheckTransfer(comparing, suspect);
    if (recheck.kind === 'unknown') return { differences, trouble: 'a transfer could not be read from the bank' };
    if (recheck.kind === 'different') differences.push(recheck.difference);
    else if (recheck.kind === 'in_flight') matcher.recordMoving(suspect);
    else matcher.compared += 1;
  }
  return { differences, trouble: null };
}
