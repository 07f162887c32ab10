import type { BankRecords, Bank, PaymentRecord, RecipientRecord } from '../../banks/index.ts';
import { payoutFee, type PayoutPrices } from '../../money/fees.ts';
import { usdcForPounds, type GbpPerUsd } from '../../money/rates.ts';
import type { EnvironmentAtBank } from '../../partners/index.ts';
import type { PayoutDeps } from '../lifecycle/deps.ts';
import { endAbsent } from '../lifecycle/end-absent.ts';
import { listPaymentsSince } from '../lifecycle/list-payments.ts';
import { applyUpdate } from '../lifecycle/resume-payout.ts';
import { bankOf } from '../model/banks.ts';
import { isOrderId } from '../model/order.ts';
import { encryptRecipient, openRecipient } from '../records/encrypted-recipient.ts';
import { wakePayout } from '../records/lease-store.ts';
import { findPayout } from '../records/payout-store.ts';
import {
  findCorrectedOrders,
  findOrders,
  importPayout,
  listUnsettledPayouts,
  type AttemptOf,
  type KnownOrder,
  type RebuiltPayout,
} from '../records/recovered-store.ts';
import { rebuildPayout, type RebuiltCost } from './rebuild-payout.ts';

export interface ImportOptions {
  /** The last instant of which the database is known to have everything. Null reads the bank's whole list. */
  since: Date | null;
  /**
   * Payouts from before it whose outcome is not known are settled by the bank's list. Null leaves them to the worker: for an
   * environment that is not closed.
   */
  settleBefore: Date | null;
  by: string;
  /** Only counts what there is to do. */
  dryRun: boolean;
  onProgress?: (payments: number) => void;
}

/** What import could not do. */
export interface Unresolved {
  what:
    | 'insufficient_funds'
    /** The bank does not say what the recipient gets, or where nothing says at what rate. */
    | 'no_amount'
    /** We have settled the order, and the bank has a payment for it. */
    | 'settled_though_paid'
    /** The bank may still list it: run the import again a little later. */
    | 'too_recent'
    /** It changed meanwhile, or the worker has opened a case about it. */
    | 'not_settled';
  id: string;
}

export interface ImportedEnvironment {
  /** Whether the bank's list was read to its end. */
  isComplete: boolean;
  payments: number;
  imported: number;
  /** Payouts that the database knew, with a payment that it did not. */
  applied: number;
  /** Payouts whose order the bank does not have. */
  released: number;
  /** Payouts that a worker looks at next, because their payment came back. */
  woken: number;
  unresolved: Unresolved[];
}

/** A request that was slow on its way has reached the bank by then, and what the bank accepted is in its list. */
const settleAfterMs = 60_000;
const ordersAtOnce = 100;

/** Rebuilds what the bank did for one partner and we forgot, and settles what we do not know the outcome of. Safe to repeat. */
export async function importPayments(
  deps: PayoutDeps,
  environment: EnvironmentAtBank,
  options: ImportOptions,
): Promise<ImportedEnvironment> {
  const importing = new Importing(deps, environment, options);
  // Without a bank, nothing says what is missing.
  if (deps.banks[environment.rail] !== null) await importing.run();
  return importing.done;
}

const comesBack: ReadonlySet<PaymentRecord['state']> = new Set(['coming_back', 'refunded']);

class Importing {
  readonly done: ImportedEnvironment = {
    isComplete: false,
    payments: 0,
    imported: 0,
    applied: 0,
    released: 0,
    woken: 0,
    unresolved: [],
  };
  private readonly deps: PayoutDeps;
  private readonly of: EnvironmentAtBank;
  private readonly options: ImportOptions;
  private readonly recipients = new Map<string, RecipientRecord | null>();
  private readonly seen = new Set<string>();
  private rate: Promise<GbpPerUsd | null> | undefined;

  constructor(deps: PayoutDeps, of: EnvironmentAtBank, options: ImportOptions) {
    this.deps = deps;
    this.of = of;
    this.options = options;
  }

  private get bank(): Bank & Partial<BankRecords> {
    return bankOf(this.deps.banks, this.of.rail);
  }

  async run(): Promise<void> {
    const { since, settleBefore, onProgress } = this.options;
    const open = settleBefore === null ? [] : await listUnsettledPayouts(this.deps.calls, this.of, settleBefore);
    const waiting: PaymentRecord[] = [];
    const flush = async (): Promise<void> => {
      await this.importPage(waiting.splice(0));
      onProgress?.(this.done.payments);
    };
    const starts = [since, ...open.map(({ claimedAt }) => claimedAt)];
    this.done.isComplete = await listPaymentsSince(
      this.bank,
      this.of.customerId,
      { from: earliest(starts) },
      async (payment) => {
        waiting.push(payment);
        if (waiting.length >= ordersAtOnce) await flush();
      },
    );
    await flush();
    if (settleBefore === null) return;
    if (this.done.isComplete) for (const { payoutId } of open) await this.settle(payoutId, settleBefore);
    const left = this.options.dryRun ? [] : await listUnsettledPayouts(this.deps.calls, this.of, settleBefore);
    for (const { payoutId } of left) this.leave('not_settled', payoutId);
  }

  private leave(what: Unresolved['what'], id: string): void {
    if (!this.done.unresolved.some((one) => one.id === id)) this.done.unresolved.push({ what, id });
  }

  private async importPage(payments: readonly PaymentRecord[]): Promise<void> {
    this.done.payments += payments.length;
    // Payments that people made at the bank have another reference, or none: reconciliation finds those.
    const ours = payments.filter(({ ourReference }) => ourReference !== null && isOrderId(ourReference));
    const orderIds = ours.map(({ ourReference }) => ourReference ?? '');
    const known = await findOrders(this.deps.calls, this.of, orderIds);
    const corrected = await findCorrectedOrders(this.deps.calls, this.of, ours);
    for (const payment of ours) {
      const orderId = payment.ourReference ?? '';
      // Whatever it was, it is in the books.
      if (corrected.has(orderId)) this.seen.add(orderId);
      else await this.importPayment(payment, known.get(orderId));
    }
  }

  private async importPayment(payment: PaymentRecord, known: KnownOrder | undefined): Promise<void> {
    const order = await this.lookAgain(payment.ourReference ?? '', known);
    if (order === undefined || order.state === 'not_created') return this.rebuild(payment, order);
    if (order.state === 'sending' || order.state === 'pending') return this.apply(payment, order);
    return this.lookAtKnown(payment, order);
  }

  /** A second payment of one order finds what the first has made of it. */
  private async lookAgain(orderId: string, known: KnownOrder | undefined): Promise<KnownOrder | undefined> {
    if (this.seen.has(orderId)) return (await findOrders(this.deps.calls, this.of, [orderId])).get(orderId);
    this.seen.add(orderId);
    return known;
  }

  private async rebuild(payment: PaymentRecord, order: KnownOrder | undefined): Promise<void> {
    const { deps, of, options } = this;
    const { prices, pricePlan } = await deps.partnerEnvironments.get(of);
    const cost = await this.costOf(payment, prices);
    if (cost === null) return this.leave('no_amount', payment.id);
    if (options.dryRun) return void (this.done.imported += 1);
    const rebuilt = rebuildPayout(deps.clock, { payment, cost, recipient: await this.findRecipient(payment) });
    const attempt = await this.findAttempt(order, rebuilt);
    const at = deps.clock.now();
    const outcome = await importPayout(deps.calls, { ...of, ...attempt, pricePlan, at, by: options.by }, rebuilt);
    if (outcome === 'imported') this.done.imported += 1;
    if (outcome === 'insufficient_funds') this.leave(outcome, payment.id);
  }

  /** The wallet sends what the bank took. Where the bank does not say, that is reckoned by the rate of now. */
  private async costOf({ pays, taken }: PaymentRecord, prices: PayoutPrices): Promise<RebuiltCost | null> {
    if (pays === null) return null;
    const { fee, providerFee } = payoutFee(pays, prices);
    if (taken !== null) return { amount: pays, fee, providerFee, walletDebit: taken };
    this.rate ??= this.bank.findRate();
    const rate = await this.rate;
    return rate === null
      ? null
      : { amount: pays, fee, providerFee, walletDebit: usdcForPounds(pays + providerFee, rate) };
  }

  /** The attempt whose key it takes over. It was refused: what was paid later may have been asked for with another body. */
  private async findAttempt(order: KnownOrder | undefined, { id, amount }: RebuiltPayout): Promise<AttemptOf> {
    const { calls, encryptor } = this.deps;
    const attempt = order === undefined ? null : await findPayout(calls, this.of, order.payoutId);
    const hasBody = order?.hasBody === true && attempt?.amount === amount;
    const recipientEncrypted =
      hasBody && attempt !== null ? encryptRecipient(encryptor, id, openRecipient(encryptor, attempt)) : null;
    return { attemptId: attempt?.id ?? null, hasBody, recipientEncrypted };
  }

  private async findRecipient({ recipientId }: PaymentRecord): Promise<RecipientRecord | null> {
    if (recipientId === null) return null;
    const known = this.recipients.get(recipientId);
    if (known !== undefined) return known;
    const found = (await this.bank.findRecipient?.({ customerId: this.of.customerId, recipientId })) ?? null;
    this.recipients.set(recipientId, found);
    return found;
  }

  /** The bank has what we do not know the outcome of. */
  private async apply(payment: PaymentRecord, { payoutId }: KnownOrder): Promise<void> {
    this.done.applied += 1;
    if (this.options.dryRun) return;
    const payout = await findPayout(this.deps.calls, this.of, payoutId);
    if (payout !== null) await applyUpdate(this.deps, payout, payment);
  }

  private async lookAtKnown(payment: PaymentRecord, { state, bankPaymentId }: KnownOrder): Promise<void> {
    const { id: paymentId, ourReference } = payment;
    if (bankPaymentId === null) return this.leave('settled_though_paid', paymentId);
    const isNews = bankPaymentId !== paymentId || (comesBack.has(payment.state) && state !== 'returned');
    if (!isNews) return;
    this.done.woken += 1;
    if (this.options.dryRun) return;
    const { environment } = this.of;
    await wakePayout(this.deps.calls, {
      environment,
      orderId: ourReference ?? '',
      paymentId,
      at: this.deps.clock.now(),
    });
  }

  private async settle(payoutId: string, settleBefore: Date): Promise<void> {
    const payout = await findPayout(this.deps.calls, this.of, payoutId);
    if (payout === null || this.seen.has(payout.orderId)) return;
    if (payout.state !== 'sending' && payout.state !== 'pending') return;
    if (this.deps.clock.now().getTime() - settleBefore.getTime() < settleAfterMs)
      return this.leave('too_recent', payoutId);
    this.done.released += 1;
    if (this.options.dryRun) return;
    const transition = { at: this.deps.clock.now(), by: this.options.by, ...endAbsent(payout) };
    await this.deps.commits.applyTransition({ payout, transition });
  }
}

/** Null, which is the beginning of all time, where any is. */
function earliest(instants: readonly (Date | null)[]): Date | null {
  return instants.reduce((first, at) => (first === null || at === null ? null : at < first ? at : first));
}
