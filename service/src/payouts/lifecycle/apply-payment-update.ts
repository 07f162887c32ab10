import type { Payment } from '../../banks/index.ts';
import { ledgerEvents, type Line } from '../../ledger/index.ts';
import { formatExactUsdc, type MicroUsdc } from '../../money/amounts.ts';
import { exceptionCharge, networkCharge, unreturnedShare, type Markups } from '../../money/fees.ts';
import { monthOf } from '../../platform/london-month.ts';
import { failureReasons } from '../model/failures.ts';
import type { BankFacts, OpenCase, TransitionStep } from '../model/transition.ts';
import type { Payout, PayoutState } from '../model/payout.ts';
import { describeReturn, isWithin, returnRange, wasReturned } from './return-range.ts';

/** What follows for a payout from what the bank says of its payment. Pure: the same of the same. */
export interface PaymentUpdate {
  /** In order; none where nothing has changed. Those that were missed on the way are among them. */
  steps: TransitionStep[];
  bankFacts: BankFacts;
  /** Nothing more is to be expected of the bank. */
  isOver: boolean;
  openCase?: OpenCase;
  /** The bank took so much more or less than we reckoned that the partner's payments stop until a person has looked. */
  blockPartner: boolean;
}

/** When it is followed, and what its price plan adds to what others charge us. */
export interface Charging {
  at: Date;
  markups: Markups;
}

/** Past one part in a hundred, the rate that we reckon with is not the bank's. */
const mostDifference = 100n;

/** 1 USDC. Rounding at the bank, or a network fee, is more than that part of a small payout. */
const smallDifference = 1_000_000n;

/** 100 USDC. No network and no return costs more: before anybody is charged that, a person looks. */
const mostCost = 100_000_000n;

/** Builds up the steps; each sees what the ones before it have made of the payout. */
class UpdateBuilder {
  readonly steps: TransitionStep[] = [];
  openCase: OpenCase | undefined;
  blockPartner = false;
  refunded: MicroUsdc | null;
  took: MicroUsdc | null;
  state: PayoutState;
  readonly payout: Payout;
  readonly payment: Payment;
  readonly charging: Charging;

  constructor(payout: Payout, payment: Payment, charging: Charging) {
    this.payout = payout;
    this.payment = payment;
    this.charging = charging;
    this.state = payout.state;
    this.took = payout.bankDebited;
    this.refunded = payout.bankRefunded;
  }

  step(to: PayoutState, what: string, lines: Line[] = []): void {
    this.steps.push({ to, what, detail: this.payment.failure, lines });
    this.state = to;
  }

  /** A case is opened once for each word of the bank's: the bank reports one return three times, and each time it is read anew. */
  attention(kind: string): void {
    const isNotified = this.payout.bankState === this.payment.bankState;
    if (isNotified && this.steps.length === 0) return;
    this.raise(kind);
  }

  /** Also where the bank's word is the one that we know: its amount has changed. */
  raise(kind: string): void {
    this.report(kind, `bank status ${this.payment.bankState}`);
    if (this.steps.length === 0) this.step(this.state, 'needs_attention');
  }

  /** A commit opens one case. What is found besides is not lost: it stands in the same one. */
  report(kind: string, detail: string): void {
    const { openCase: first } = this;
    this.openCase = first === undefined ? { kind, detail } : { ...first, detail: `${first.detail}; ${detail}` };
  }

  /** The partner's money is still held for it, so what the bank took for it is in transit. */
  isHeld(): boolean {
    if (this.state === 'processing') return true;
    // One that failed without a payment at the bank gave its hold back at once.
    const hadPayment = this.payout.state !== 'failed' || this.payout.bankPaymentId !== null;
    return this.state === 'failed' && this.refunded === null && hadPayment;
  }

  /** The bank has it: whatever it did since, it took the money first. */
  accept(): void {
    const { taken } = this.payment;
    const change = taken === null ? 0n : taken - (this.took ?? 0n);
    const isNew = this.state === 'sending' || this.state === 'pending';
    if (isNew) this.step('processing', 'bank_accepted', ledgerEvents.taken({ byBank: change }));
    else if (change !== 0n) {
      // It did not say at first, or says something else now. After the end a person has to book it.
      if (!this.isHeld()) return this.raise('taken_changed_late');
      this.step(this.state, 'amount_taken', ledgerEvents.taken({ byBank: change }));
    }
    if (taken !== null && change !== 0n) this.compare(taken);
    this.took = taken ?? this.took;
  }

  compare(taken: MicroUsdc): void {
    const { walletDebit, rail } = this.payout;
    const difference = walletDebit > taken ? walletDebit - taken : taken - walletDebit;
    if (difference <= smallDifference || difference * mostDifference <= walletDebit) return;
    this.report(
      'taken_differs',
      `expected ${formatExactUsdc(walletDebit)} USDC, the bank debited ${formatExactUsdc(taken)} USDC`,
    );
    this.blockPartner = rail === 'provider_production';
  }

  arrive(): void {
    if (this.state === 'failed' || this.state === 'cancelled' || this.state === 'returned')
      this.attention('arrived_after_all');
    if (this.state !== 'processing') return;
    if (this.took === null) return this.attention('arrived_without_amount');
    const lines = ledgerEvents.arrived({ held: this.payout.walletDebit, byBank: this.took });
    this.step('completed', 'arrived', [...lines, ...this.chargesOfArrival()]);
  }

  /** Sandbox is never charged. */
  chargesOfArrival(): Line[] {
    const { environment, fee, providerFee, rate } = this.payout;
    if (environment !== 'live') return [];
    const network = networkCharge(this.believed(this.payment.networkFee), rate, this.charging.markups);
    return [...ledgerEvents.feeEarned({ invoiceShare: fee - providerFee }), ...ledgerEvents.networkFeeAccrued(network)];
  }

  /** What the bank says that something cost it, where that can be. */
  believed(cost: MicroUsdc | null): MicroUsdc {
    if (cost === null || cost <= mostCost) return cost ?? 0n;
    this.report(
      'cost_not_believed',
      `the bank reports an implausible cost of ${formatExactUsdc(cost)} USDC; nothing was charged`,
    );
    return 0n;
  }

  fail(): void {
    if (this.state === 'completed') this.attention('failed_after_arrival');
    if (this.state === 'processing') this.step('failed', 'undeliverable');
  }

  /** Its money is back at the bank. Where it failed, all of the partner's comes back; where it was returned, what came. */
  giveBack(): void {
    const { refunded } = this.payment;
    if (this.refunded !== null) {
      if (refunded !== null && refunded !== this.refunded) this.raise('refund_changed_late');
      return;
    }
    if (refunded === null || this.took === null) return this.attention('refunded_without_amount');
    // The end of the bank's record decides, and not what we saw of its way: the same failure costs the same.
    if (this.state === 'processing' && !wasReturned(this.payment)) this.step('failed', 'undeliverable');
    if (this.state === 'completed') this.returnAfterArrival(refunded);
    else if (this.state === 'processing') this.returnBeforeArrival(refunded, this.took);
    else if (this.state === 'failed') this.refundAll('failed', 'refunded', { refunded, took: this.took });
    else return;
    this.refunded = refunded;
  }

  /** The partner has all of it again, whatever the bank gave back. */
  refundAll(to: PayoutState, what: string, { refunded, took }: { refunded: MicroUsdc; took: MicroUsdc }): void {
    const range = returnRange(this.payout, took);
    if (!isWithin(range, refunded)) this.report('refund_differs', describeReturn(took, refunded));
    const held = this.payout.walletDebit;
    this.step(to, what, ledgerEvents.refundedAfterFailure({ held, byBank: took, refund: refunded }));
  }

  returnBeforeArrival(refund: MicroUsdc, took: MicroUsdc): void {
    const to = this.returnedTo(refund, took);
    const lines = ledgerEvents.returnedBeforeArrival({ held: this.payout.walletDebit, byBank: took, refund, to });
    this.step('returned', 'returned', [...lines, ...this.chargesOfReturn(refund)]);
  }

  returnAfterArrival(refund: MicroUsdc): void {
    const to = this.returnedTo(refund, this.took ?? this.payout.walletDebit);
    const lines = ledgerEvents.returnedAfterArrival({ refund, to });
    this.step('returned', 'returned', [...lines, ...this.droppedFee(), ...this.chargesOfReturn(refund)]);
  }

  /** A person decides whose it is where more or less came back than a return of this payment can be. */
  returnedTo(refund: MicroUsdc, took: MicroUsdc): 'wallet' | 'suspense' {
    if (isWithin(returnRange(this.payout, took), refund)) return 'wallet';
    this.report('return_differs', `${describeReturn(took, refund)}, which is in suspense`);
    return 'suspense';
  }

  /** In the month that it was charged in, the charge is taken back. After that it is on an invoice, or will be: then it is owed. */
  droppedFee(): Line[] {
    const { environment, fee, providerFee, completedAt } = this.payout;
    if (environment !== 'live') return [];
    const isOfThisMonth = completedAt !== null && monthOf(completedAt) === monthOf(this.charging.at);
    return ledgerEvents.feeDropped({ invoiceShare: fee - providerFee, invoiced: !isOfThisMonth });
  }

  /** The bank's share of the fee, where it did not come back; and what the bank bills us for the return. */
  chargesOfReturn(refund: MicroUsdc): Line[] {
    const { environment, walletDebit, rate, providerFee } = this.payout;
    if (environment !== 'live') return [];
    const exception = exceptionCharge(this.believed(this.payment.returnFee), rate, this.charging.markups);
    return [
      ...ledgerEvents.providerFeeCredited(unreturnedShare({ walletDebit, refund, rate, providerFee })),
      ...ledgerEvents.charged('bank_exceptions', exception),
    ];
  }

  cancel(): void {
    const { refunded } = this.payment;
    if (this.state === 'completed' || this.state === 'failed') this.attention('cancelled_after_the_end');
    if (this.state !== 'processing') return;
    if (refunded === null || this.took === null) return this.attention('cancelled_without_refund');
    this.refundAll('cancelled', 'cancelled', { refunded, took: this.took });
    this.refunded = refunded;
  }

  isOver(): boolean {
    const { state } = this.payment;
    if (this.state === 'completed') return state !== 'coming_back' && state !== 'undeliverable';
    return !this.isHeld();
  }
}

function applyUpdate(builder: UpdateBuilder): void {
  builder.accept();
  switch (builder.payment.state) {
    case 'accepted':
    case 'under_way':
    case 'coming_back':
      return;
    case 'arrived':
      return builder.arrive();
    case 'undeliverable':
      return builder.fail();
    case 'refunded':
      return builder.giveBack();
    case 'cancelled':
      return builder.cancel();
    case 'needs_attention':
      return builder.attention('bank_needs_attention');
  }
}

export function applyPaymentUpdate(payout: Payout, payment: Payment, charging: Charging): PaymentUpdate {
  const builder = new UpdateBuilder(payout, payment, charging);
  applyUpdate(builder);
  const code = payment.failure ?? payout.failureCode ?? 'unknown';
  return {
    steps: builder.steps,
    bankFacts: {
      bankPaymentId: payment.id,
      bankState: payment.bankState,
      bankDebited: builder.took,
      bankRefunded: builder.refunded,
      failure: { code, reason: failureReasons[code] },
    },
    isOver: builder.isOver(),
    blockPartner: builder.blockPartner,
    ...(builder.openCase === undefined ? {} : { openCase: builder.openCase }),
  };
}
