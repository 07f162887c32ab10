import type { PaymentRecord } from '../banks/index.ts';
import { instantOf } from '../platform/ids.ts';
import { compareTransfer, type OurTransfer } from './compare-transfer.ts';
import { clockSkewMs, type Window } from './cut-off.ts';

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
  /** Payments that were under way, by the bank's id, with their payouts. */
  readonly movingPayments = new Map<string, string | null>();
  private readonly window: Window;
  private readonly ours = new Map<string, OurTransfer>();
  private readonly theirs = new Map<string, PaymentRecord>();

  constructor(window: Window) {
    this.window = window;
  }

  addOurs(transfer: OurTransfer): void {
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

  /** When both sides have been seen. */
  finish(): void {
    for (const transfer of this.ours.values()) {
      if (transfer.paymentId === null) this.judge(transfer, null);
      else this.suspect({ paymentId: transfer.paymentId, payoutId: transfer.payoutId });
    }
    for (const payment of this.theirs.values()) this.suspectStranger(payment);
    this.ours.clear();
    this.theirs.clear();
  }

  /** It turned out to be under way. */
  recordMoving({ paymentId, payoutId }: { paymentId: string | null; payoutId: string | null }): void {
    this.inFlight += 1;
    if (paymentId !== null) this.movingPayments.set(paymentId, payoutId);
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

  private judge(transfer: OurTransfer, payment: PaymentRecord | null): void {
    const comparison = compareTransfer(transfer, payment, this.window.cutOff);
    if (comparison.kind === 'equal') this.compared += 1;
    else if (comparison.kind === 'in_flight')
      this.recordMoving({ paymentId: payment?.id ?? null, payoutId: transfer.payoutId });
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

/** Reads both sides page by page, whichever is ahead in time waiting for the other. */
export async function matchTransfers(
  matcher: TransferMatcher,
  ours: AsyncIterator<OurTransfer[]>,
  theirs: AsyncIterator<PaymentRecord[]>,
  onProgress: (lines: number) => void,
): Promise<void> {
  let [oursAt, theirsAt] = [Infinity, Infinity];
  while (oursAt > -Infinity || theirsAt > -Infinity) {
    if (oursAt >= theirsAt) {
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
      for (const payment of page.done === true ? [] : page.value) matcher.addTheirs(payment);
      theirsAt =
        page.done === true
          ? -Infinity
          : endOf(
              page.value.map(({ createdAt }) => createdAt),
              theirsAt,
            );
    }
    onProgress(matcher.compared);
  }
  matcher.finish();
}
