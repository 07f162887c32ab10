import type { PaymentPage, PaymentRecord } from '../banks/index.ts';
import type { MicroUsdc } from '../money/amounts.ts';
import { inReadOnlyTransaction } from '../platform/database/transaction.ts';
import { instantOf } from '../platform/ids.ts';
import { effectOf, isAtItsEnd } from './compare-transfer.ts';
import { clockSkewMs } from './cut-off.ts';
import { BankSilent, type Comparing } from './deps.ts';
import { readPatiently } from './read-patiently.ts';
import { findOrderedPayouts, type OrderedPayout } from './store.ts';

/** Three hundred thousand lines: half an hour of the whole UK rail. */
const mostPages = 3_000;

/** Whether we ordered it. A second payment of one order is not ours, nor is one for a payout that is over without any. */
function isOurs({ id }: PaymentRecord, { paymentId, state }: OrderedPayout): boolean {
  return paymentId === null ? !isAtItsEnd(state) : paymentId === id;
}

interface Line {
  payment: PaymentRecord;
  payout: OrderedPayout | null;
}

/**
 * The newest lines of the bank's list, and what they did to the wallet: all that changed since an instant, then what is added
 * while it is followed. Lines that we did not order count for nothing: they are what a balance differs by.
 */
export class BankTail {
  /** What our lines in it did to the wallet. */
  sum: MicroUsdc = 0n;
  /** Whether the bank says what changed. Where it does not, something older may have, and explain a difference. */
  isWhole = true;
  /** A payment of a payout that was counted by its entries has been added: begin again. */
  isStale = false;
  /** Payouts before `newFrom` whose lines are in it. */
  readonly payoutIds = new Set<string>();
  /** Every payout since then is counted by the bank's lines alone. */
  readonly newFrom: Date;
  private readonly comparing: Comparing;
  private readonly effects = new Map<string, MicroUsdc>();

  private constructor(comparing: Comparing, newFrom: Date) {
    this.comparing = comparing;
    this.newFrom = newFrom;
  }

  static async read(comparing: Comparing, { since, newFrom }: { since: Date; newFrom: Date }): Promise<BankTail> {
    const tail = new BankTail(comparing, newFrom);
    let after: string | null = null;
    for (let pages = 0; pages < mostPages; pages += 1) {
      const page = await tail.readPage(after, since);
      const unchanged = page.payments.findIndex(({ changedAt }) => changedAt !== null && changedAt < since);
      tail.isWhole = unchanged === -1;
      const changed = tail.isWhole ? page.payments : page.payments.slice(0, unchanged);
      for (const line of await tail.findPayouts(changed)) tail.begin(line);
      if (!tail.isWhole || page.next === null) return tail;
      after = page.next;
    }
    throw new BankSilent('too much changed at the bank to explain the balance');
  }

  /** The newest lines, down to one that is known. Nothing is counted yet. */
  async readNewest(): Promise<PaymentRecord[]> {
    const seen: PaymentRecord[] = [];
    let after: string | null = null;
    for (let pages = 0; pages < mostPages; pages += 1) {
      const page: PaymentPage = await this.readPage(after);
      seen.push(...page.payments);
      if (page.next === null || this.isReached(page)) return seen;
      after = page.next;
    }
    throw new BankSilent('the bank adds transfers faster than they can be read');
  }

  /** Counts them. Says what has moved, the oldest first. */
  async follow(newest: readonly PaymentRecord[]): Promise<MicroUsdc[]> {
    return this.countNewest(await this.findPayouts(newest));
  }

  /**
   * A page that ends with a line that is known, or older than all that is followed. One in between is not enough: a line that
   * was paid for longer than those around it is listed among them, and only then.
   */
  private isReached({ payments }: PaymentPage): boolean {
    const last = payments.at(-1);
    if (last === undefined || this.effects.has(last.id)) return true;
    return last.createdAt !== null && last.createdAt.getTime() < this.newFrom.getTime() - clockSkewMs;
  }

  private async readPage(after: string | null, since?: Date): Promise<PaymentPage> {
    const { bank, partnerEnvironment } = this.comparing;
    const page = await readPatiently(this.comparing, async () =>
      bank.listPayments(partnerEnvironment.customerId, after, since),
    );
    if (page === null) throw new BankSilent("the bank's newest transfers could not be read");
    return page;
  }

  private async findPayouts(payments: readonly PaymentRecord[]): Promise<Line[]> {
    if (payments.length === 0) return [];
    const { pool, partnerEnvironment } = this.comparing;
    const references = payments.flatMap(({ ourReference }) => ourReference ?? []);
    const payouts = await inReadOnlyTransaction(pool, partnerEnvironment, async (tx) =>
      findOrderedPayouts(tx, references),
    );
    return payments.map((payment) => ({ payment, payout: payouts.get(payment.ourReference ?? '') ?? null }));
  }

  private begin(line: Line): void {
    const { payment, payout } = line;
    if (payout !== null && isOurs(payment, payout) && this.isOld(payout)) this.payoutIds.add(payout.payoutId);
    this.count(line);
  }

  private countNewest(newestFirst: readonly Line[]): MicroUsdc[] {
    const moved: MicroUsdc[] = [];
    for (const line of newestFirst.toReversed()) {
      const { payment, payout } = line;
      const isCounted = this.effects.has(payment.id) || payout === null || !this.isOld(payout);
      // What the list shows beside the new lines is older than all that changed: its payout is counted by its entries.
      if (!isCounted && this.isBefore(payment)) continue;
      if (!isCounted && isOurs(payment, payout)) this.isStale = true;
      const change = this.count(line);
      if (change !== 0n) moved.push(change);
    }
    return moved;
  }

  private isOld({ payoutId }: OrderedPayout): boolean {
    return instantOf(payoutId) < this.newFrom;
  }

  private isBefore({ createdAt }: PaymentRecord): boolean {
    return createdAt !== null && createdAt < this.newFrom;
  }

  private count({ payment, payout }: Line): MicroUsdc {
    const effect = payout !== null && isOurs(payment, payout) ? effectOf(payment) : 0n;
    const change = effect - (this.effects.get(payment.id) ?? 0n);
    this.effects.set(payment.id, effect);
    this.sum += change;
    return change;
  }
}
