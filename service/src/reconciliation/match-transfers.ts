import type { PaymentPage, PaymentRecord } from '../banks/index.ts';
import { instantOf } from '../platform/ids.ts';
import { compareTransfer, type OurTransfer } from './compare-transfer.ts';
import { clockSkewMs, type Window } from './cut-off.ts';
import type { MatcherState } from './progress/transfer-progress.ts';

/** A line that did not fit at first sight. Both sides are read anew before anything is made of it. */
export interface Suspect {
  /** The bank's id. */
  paymentId: string;
  payoutId: string | null;
}

/** A run that finds more than this has found that something is wrong in the large: a person looks before it goes on. */
const mostSuspects = 1_000;
/** Lines of one side whose other one has not come by yet. The two go side by side in time, so there are few. */
const mostWaiting = 100_000;
/** A payout whose payment has not come by so far behind it is not in the bank's list. */
const giveUpBehindMs = 60 * 60_000;

/** More differs than could be cases: a thousand of them would hide that something is wrong in the large. */
export class TooDifferent extends Error {
  override readonly name = 'TooDifferent';
}

/**
 * Puts lines of both sides together by the order that they are for, as they come by: newest first, a page of one or the
 * other at a time. What is equal is forgotten at once, so a day of any size takes little memory.
 */
export class TransferMatcher {
  compared = 0;
  inFlight = 0;
  readonly suspects: Suspect[] = [];
  private readonly window: Window;
  private readonly ours = new Map<string, OurTransfer>();
  private readonly theirs = new Map<string, PaymentRecord>();
  /** Payouts that were judged, and are older than where the bank's list is: they would be read again after a kill. */
  private readonly met = new Set<string>();
  /** Orders whose payments waited for their payouts when an earlier attempt was killed: they are suspects since. */
  private readonly orders: ReadonlySet<string>;

  constructor(window: Window, resumed: MatcherState | null = null) {
    this.window = window;
    this.compared = resumed?.compared ?? 0;
    this.inFlight = resumed?.inFlight ?? 0;
    this.suspects.push(...(resumed?.suspects ?? []));
    for (const id of resumed?.met ?? []) this.met.add(id);
    this.orders = new Set(resumed?.orders);
  }

  addOurs(transfer: OurTransfer): void {
    if (this.met.has(transfer.payoutId) || this.orders.has(transfer.orderId)) return;
    const payment = this.theirs.get(transfer.orderId);
    if (payment !== undefined && this.belongs(transfer, payment)) {
      this.theirs.delete(transfer.orderId);
      this.judge(transfer, payment);
    } else this.wait(this.ours, transfer.orderId, transfer);
  }

  addTheirs(payment: PaymentRecord): void {
    const { ourReference } = payment;
    // The bank's clock may be off ours: what is just outside by its time may be the other half of what is inside by ours.
    if (!this.isWithin(payment, clockSkewMs)) return;
    const transfer = ourReference === null ? undefined : this.ours.get(ourReference);
    if (transfer !== undefined && ourReference !== null && this.belongs(transfer, payment)) {
      this.ours.delete(ourReference);
      this.judge(transfer, payment);
    } else if (ourReference === null || transfer !== undefined || this.theirs.has(ourReference)) {
      this.suspectStranger(payment);
    } else this.wait(this.theirs, ourReference, payment);
  }

  /** A pair that was found outside of the two lists. */
  addPair(transfer: OurTransfer | null, payment: PaymentRecord): void {
    if (transfer === null || !this.belongs(transfer, payment)) this.suspect({ paymentId: payment.id, payoutId: null });
    else this.judge(transfer, payment);
    this.met.clear();
  }

  /** The bank's list is read up to there: nobody waits for what would have come by long before. */
  pass(reachedMs: number): void {
    for (const id of this.met) if (instantOf(id).getTime() >= reachedMs) this.met.delete(id);
    for (const [orderId, transfer] of this.ours) {
      if (instantOf(transfer.payoutId).getTime() < reachedMs + giveUpBehindMs) continue;
      this.ours.delete(orderId);
      this.judgeAlone(transfer);
    }
  }

  /** When both sides have been seen. */
  finish(): void {
    for (const transfer of this.ours.values()) this.judgeAlone(transfer);
    for (const payment of this.theirs.values()) this.suspectStranger(payment);
    this.ours.clear();
    this.theirs.clear();
    this.met.clear();
  }

  /** What is needed to go on from where the bank's list is. Payouts that are older are read again. */
  stateAt(reachedMs: number): MatcherState {
    const strangers = [...this.theirs.values()].filter((payment) => this.isWithin(payment, 0));
    const waiting = [...this.ours.values()].map(({ payoutId }) => payoutId);
    return {
      compared: this.compared,
      inFlight: this.inFlight,
      suspects: [...this.suspects, ...strangers.map(({ id }) => ({ paymentId: id, payoutId: null }))],
      waiting: waiting.filter((id) => instantOf(id).getTime() >= reachedMs),
      met: [...this.met],
      orders: [...this.orders, ...strangers.flatMap(({ ourReference }) => ourReference ?? [])],
    };
  }

  private isWithin({ createdAt }: PaymentRecord, skewMs: number): boolean {
    const { from, cutOff } = this.window;
    if (createdAt === null) return true;
    const at = createdAt.getTime();
    return at < cutOff.getTime() + skewMs && (from === null || at >= from.getTime() - skewMs);
  }

  private suspectStranger(payment: PaymentRecord): void {
    if (this.isWithin(payment, 0)) this.suspect({ paymentId: payment.id, payoutId: null });
  }

  private belongs({ paymentId }: OurTransfer, payment: PaymentRecord): boolean {
    return paymentId === null || paymentId === payment.id;
  }

  private judgeAlone(transfer: OurTransfer): void {
    if (transfer.paymentId === null) this.judge(transfer, null);
    else this.suspect({ paymentId: transfer.paymentId, payoutId: transfer.payoutId });
  }

  private judge(transfer: OurTransfer, payment: PaymentRecord | null): void {
    this.met.add(transfer.payoutId);
    const comparison = compareTransfer(transfer, payment, this.window.cutOff);
    if (comparison.kind === 'equal') this.compared += 1;
    else if (comparison.kind === 'in_flight') this.inFlight += 1;
    else this.suspect({ paymentId: comparison.difference.subject, payoutId: transfer.payoutId });
  }

  private suspect(suspect: Suspect): void {
    if (this.suspects.length >= mostSuspects) throw new TooDifferent();
    this.suspects.push(suspect);
  }

  private wait<Line>(waiting: Map<string, Line>, orderId: string, line: Line): void {
    if (waiting.size >= mostWaiting) throw new TooDifferent();
    waiting.set(orderId, line);
  }
}

/** Where a page ends in time. */
function endOf(instants: readonly (Date | null)[], before: number): number {
  return instants.at(-1)?.getTime() ?? before;
}

interface TwoLists {
  ours: AsyncIterator<OurTransfer[]>;
  theirs: AsyncIterator<PaymentPage>;
  /** Where an earlier attempt came to in the bank's list; Infinity at its beginning. */
  reachedMs: number;
}

/** Reads both sides page by page, whichever is ahead in time waiting for the other. Says where the bank's list ended. */
export async function matchTransfers(
  matcher: TransferMatcher,
  { ours, theirs, reachedMs }: TwoLists,
  onPage: (reachedMs: number, page: PaymentPage) => Promise<void>,
): Promise<void> {
  let [oursAt, theirsAt] = [Infinity, reachedMs];
  let isListed = false;
  while (oursAt > -Infinity || !isListed) {
    if (oursAt > -Infinity && (isListed || oursAt >= theirsAt)) {
      const page = await ours.next();
      for (const transfer of page.done === true ? [] : page.value) matcher.addOurs(transfer);
      oursAt =
        page.done === true
          ? -Infinity
          : endOf(
              page.value.map(({ payoutId }) => instantOf(payoutId)),
              oursAt,
            );
    } else {
      const page = await theirs.next();
      isListed = page.done === true;
      if (page.done === true) continue;
      for (const payment of page.value.payments) matcher.addTheirs(payment);
      // Never back: a bank may list lines of one moment in any order, and what was passed is forgotten.
      const endsAt = endOf(
        page.value.payments.map(({ createdAt }) => createdAt),
        theirsAt,
      );
      theirsAt = Math.min(theirsAt, endsAt);
      matcher.pass(theirsAt);
      await onPage(theirsAt, page.value);
    }
  }
  matcher.finish();
}
