import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { Payment } from '../../banks/index.ts';
import { ledgerEvents, type Line } from '../../ledger/index.ts';
import { standardMarkups } from '../../money/fees.ts';
import { applyPaymentUpdate as applyPaymentUpdateAt, type PaymentUpdate } from './apply-payment-update.ts';
import type { Payout, PayoutState } from '../model/payout.ts';

const walletDebit = 127_850_000n;
const byBank = 127_800_000n;
const refund = 127_000_000n;

function payoutIn(state: PayoutState, change: Partial<Payout> = {}): Payout {
  return {
    id: '019a8000-0000-7000-8000-000000000001',
    partnerId: '019a8000-0000-7000-8000-000000000002',
    environment: 'live',
    rail: 'provider_production',
    state,
    revision: 1,
    attempts: 1,
    idempotencyKey: 'order-1',
    orderId: '019a8000-0000-4000-8000-000000000003',
    bankRound: 1,
    firstTriedAt: new Date(0),
    reference: null,
    bankReference: 'KP 1',
    amount: 10_000n,
    fee: 199n,
    providerFee: 100n,
    walletDebit,
    rate: 790_000n,
    pricePlan: 'standard-1',
    recipientName: 'Ada Byron',
    accountLast4: '5678',
    recipientEncrypted: Buffer.alloc(0),
    accountIndex: Buffer.alloc(32),
    bankRecipientEncrypted: null,
    createdVia: 'api',
    isDuplicateSuspected: false,
    createdBy: 'kp_live_00000000',
    bankPaymentId: null,
    bankState: null,
    bankDebited: null,
    bankRefunded: null,
    failureCode: null,
    failureReason: null,
    updatedAt: new Date(0),
    completedAt: state === 'completed' ? new Date('2026-11-02T12:00:00Z') : null,
    ...change,
  };
}

/** A payout that the bank accepted, as the commits before have left it. */
function acceptedIn(state: PayoutState, change: Partial<Payout> = {}): Payout {
  const ended = state === 'returned' || state === 'cancelled' ? { bankRefunded: refund } : {};
  return payoutIn(state, { bankPaymentId: 't1', bankState: 'before', bankDebited: byBank, ...ended, ...change });
}

const words: Readonly<Record<Payment['state'], string>> = {
  accepted: 'pending',
  under_way: 'payment_submitted',
  arrived: 'payment_processed',
  undeliverable: 'undeliverable',
  coming_back: 'refund_in_flight',
  refunded: 'refunded',
  cancelled: 'canceled',
  needs_attention: 'error',
};

function paymentIn(state: Payment['state'], change: Partial<Payment> = {}): Payment {
  const givenBack = state === 'refunded' || state === 'cancelled' ? refund : null;
  return {
    id: 't1',
    ourReference: null,
    pays: null,
    recipientId: null,
    state,
    bankState: words[state],
    taken: byBank,
    refunded: givenBack,
    failure: null,
    networkFee: 20_000n,
    returnFee: null,
    ...change,
  };
}

const charging = { at: new Date('2026-11-15T12:00:00Z'), markups: standardMarkups };
const applyPaymentUpdate = (payout: Payout, payment: Payment): PaymentUpdate =>
  applyPaymentUpdateAt(payout, payment, charging);

/** `bank_accepted>processing completed`, say: what happened, and where that led. */
function reported({ steps, isOver, openCase }: PaymentUpdate): string {
  const path = steps.map(({ what, to }) => `${what}>${to}`).join(' ');
  return [path, isOver ? 'over' : 'open', openCase?.kind ?? ''].filter((part) => part !== '').join(' | ');
}

/** From the decisions: what each word of the bank's does to a payout, whether it is over then, and which case it opens. */
const decided: readonly [payout: PayoutState, bank: Payment['state'], becomes: string][] = [
  ['sending', 'accepted', 'bank_accepted>processing | open'],
  ['sending', 'under_way', 'bank_accepted>processing | open'],
  ['sending', 'arrived', 'bank_accepted>processing arrived>completed | over'],
  ['sending', 'undeliverable', 'bank_accepted>processing undeliverable>failed | open'],
  ['sending', 'coming_back', 'bank_accepted>processing | open'],
  ['sending', 'refunded', 'bank_accepted>processing undeliverable>failed refunded>failed | over'],
  ['sending', 'cancelled', 'bank_accepted>processing cancelled>cancelled | over'],
  ['sending', 'needs_attention', 'bank_accepted>processing | open | bank_needs_attention'],
  ['pending', 'accepted', 'bank_accepted>processing | open'],
  ['pending', 'arrived', 'bank_accepted>processing arrived>completed | over'],
  ['pending', 'undeliverable', 'bank_accepted>processing undeliverable>failed | open'],
  ['pending', 'refunded', 'bank_accepted>processing undeliverable>failed refunded>failed | over'],
  ['pending', 'cancelled', 'bank_accepted>processing cancelled>cancelled | over'],
  ['processing', 'accepted', 'open'],
  ['processing', 'under_way', 'open'],
  ['processing', 'arrived', 'arrived>completed | over'],
  ['processing', 'undeliverable', 'undeliverable>failed | open'],
  ['processing', 'coming_back', 'open'],
  ['processing', 'refunded', 'undeliverable>failed refunded>failed | over'],
  ['processing', 'cancelled', 'cancelled>cancelled | over'],
  ['processing', 'needs_attention', 'needs_attention>processing | open | bank_needs_attention'],
  ['completed', 'under_way', 'over'],
  ['completed', 'arrived', 'over'],
  ['completed', 'undeliverable', 'needs_attention>completed | open | failed_after_arrival'],
  ['completed', 'coming_back', 'open'],
  ['completed', 'refunded', 'returned>returned | over'],
  ['completed', 'needs_attention', 'needs_attention>completed | over | bank_needs_attention'],
  ['failed', 'undeliverable', 'open'],
  ['failed', 'coming_back', 'open'],
  ['failed', 'refunded', 'refunded>failed | over'],
  ['failed', 'arrived', 'needs_attention>failed | open | arrived_after_all'],
  ['cancelled', 'cancelled', 'over'],
  ['cancelled', 'arrived', 'needs_attention>cancelled | over | arrived_after_all'],
  ['cancelled', 'refunded', 'over'],
  ['returned', 'coming_back', 'over'],
  ['returned', 'refunded', 'over'],
  ['returned', 'arrived', 'needs_attention>returned | over | arrived_after_all'],
];

for (const [state, bank, becomes] of decided) {
  test(`a ${state} payout whose payment is ${bank}: ${becomes}`, () => {
    const isNew = state === 'sending' || state === 'pending';
    const payout = isNew ? payoutIn(state) : acceptedIn(state);
    assert.equal(reported(applyPaymentUpdate(payout, paymentIn(bank))), becomes);
  });
}

/** The lines of each step, in the words of the ledger's table. */
const booked: readonly [what: string, payout: Payout, payment: Payment, lines: Line[][]][] = [
  ['accepted', payoutIn('sending'), paymentIn('accepted'), [ledgerEvents.taken({ byBank })]],
  [
    'arrived, live: with the invoice share of the fee, and 0.02 USDC of network fee at cost plus a tenth',
    acceptedIn('processing'),
    paymentIn('arrived'),
    [
      [
        ...ledgerEvents.arrived({ held: walletDebit, byBank }),
        ...ledgerEvents.feeEarned({ invoiceShare: 99n }),
        ...ledgerEvents.networkFeeAccrued(17_380n),
      ],
    ],
  ],
  [
    'arrived, live, and the bank does not say what the network cost: nothing is made up',
    acceptedIn('processing'),
    paymentIn('arrived', { networkFee: null }),
    [[...ledgerEvents.arrived({ held: walletDebit, byBank }), ...ledgerEvents.feeEarned({ invoiceShare: 99n })]],
  ],
  [
    'arrived, sandbox: without a fee',
    acceptedIn('processing', { environment: 'sandbox', rail: 'provider_sandbox' }),
    paymentIn('arrived'),
    [ledgerEvents.arrived({ held: walletDebit, byBank })],
  ],
  ['undeliverable: the hold is kept', acceptedIn('processing'), paymentIn('undeliverable'), [[]]],
  [
    'refunded after it failed: the partner has all of it',
    acceptedIn('failed'),
    paymentIn('refunded'),
    [ledgerEvents.refundedAfterFailure({ held: walletDebit, byBank, refund })],
  ],
  [
    "returned before it arrived: the partner has what came back, and credit for what is missing of the bank's share",
    acceptedIn('processing'),
    paymentIn('refunded', { failure: 'recalled' }),
    [
      [
        ...ledgerEvents.returnedBeforeArrival({ held: walletDebit, byBank, refund, to: 'wallet' }),
        ...ledgerEvents.providerFeeCredited(67n),
      ],
    ],
  ],
  [
    'returned before it arrived, sandbox: nothing is charged or credited',
    acceptedIn('processing', { environment: 'sandbox', rail: 'provider_sandbox' }),
    paymentIn('refunded', { failure: 'recipient_declined', returnFee: 500_000n }),
    [ledgerEvents.returnedBeforeArrival({ held: walletDebit, byBank, refund, to: 'wallet' })],
  ],
  [
    'refunded, and the bank does not say that it was a return: it failed, and the partner has all of it',
    acceptedIn('processing'),
    paymentIn('refunded', { failure: 'account_closed', returnFee: 500_000n }),
    [[], ledgerEvents.refundedAfterFailure({ held: walletDebit, byBank, refund })],
  ],
  [
    'returned in the month that it arrived in: the fee is taken back, and what the bank bills is charged with a fifth more',
    acceptedIn('completed'),
    paymentIn('refunded', { returnFee: 500_000n }),
    [
      [
        ...ledgerEvents.returnedAfterArrival({ refund, to: 'wallet' }),
        ...ledgerEvents.feeDropped({ invoiceShare: 99n, invoiced: false }),
        ...ledgerEvents.providerFeeCredited(67n),
        ...ledgerEvents.charged('bank_exceptions', 47n),
      ],
    ],
  ],
  [
    'returned in a later month, with all that was taken: the fee is owed back',
    acceptedIn('completed', { bankDebited: walletDebit, completedAt: new Date('2026-10-31T23:59:59.999Z') }),
    paymentIn('refunded', { taken: walletDebit, refunded: walletDebit }),
    [
      [
        ...ledgerEvents.returnedAfterArrival({ refund: walletDebit, to: 'wallet' }),
        ...ledgerEvents.feeDropped({ invoiceShare: 99n, invoiced: true }),
      ],
    ],
  ],
  [
    'cancelled: the partner has all of it',
    acceptedIn('processing'),
    paymentIn('cancelled'),
    [ledgerEvents.refundedAfterFailure({ held: walletDebit, byBank, refund })],
  ],
];

for (const [what, payout, payment, lines] of booked) {
  test(`the books of a payment that is ${what}`, () => {
    assert.deepEqual(
      applyPaymentUpdate(payout, payment).steps.map((step) => step.lines),
      lines,
    );
  });
}

const returnAfterShare = byBank - 1_260_000n - byBank / 100n;

for (const [refunded, to] of [
  [byBank, 'wallet'],
  [returnAfterShare, 'wallet'],
  [byBank + 1n, 'suspense'],
  [returnAfterShare - 1n, 'suspense'],
  [1_000_000n, 'suspense'],
  [300_000_000n, 'suspense'],
] as const) {
  test(`faults 42: of ${byBank} that were sent, a return of ${refunded} goes to the partner's ${to}`, () => {
    const arrived = applyPaymentUpdate(acceptedIn('completed'), paymentIn('refunded', { refunded }));
    const back = paymentIn('refunded', { refunded, failure: 'recalled' });
    const underWay = applyPaymentUpdate(acceptedIn('processing'), back);
    for (const { steps, openCase, bankFacts } of [arrived, underWay]) {
      assert.deepEqual([steps.at(-1)?.to, bankFacts.bankRefunded], ['returned', refunded]);
      const credited = steps.flatMap(({ lines }) => lines).filter(({ account }) => account === to);
      assert.deepEqual(
        credited.map(({ amount }) => amount),
        [-refunded],
      );
      assert.equal(openCase?.kind, to === 'suspense' ? 'return_differs' : undefined);
    }
  });
}

test('a failed or cancelled payout gives all of it back, whatever the bank refunded, and a wrong refund is a case', () => {
  for (const [payout, state] of [
    [acceptedIn('failed'), 'refunded'],
    [acceptedIn('processing'), 'refunded'],
    [acceptedIn('processing'), 'cancelled'],
  ] as const)
    for (const [refunded, kind] of [
      [byBank, undefined],
      [1_000_000n, 'refund_differs'],
      [300_000_000n, 'refund_differs'],
    ] as const) {
      const { steps, openCase } = applyPaymentUpdate(payout, paymentIn(state, { refunded }));
      const lines = steps.flatMap((step) => step.lines);
      assert.deepEqual([openCase?.kind, amountsOf(lines, 'wallet')], [kind, [-walletDebit]]);
      // A refund that is too large is nobody's gain.
      assert.deepEqual(amountsOf(lines, 'suspense'), refunded > byBank ? [byBank - refunded] : []);
    }
});

function amountsOf(lines: readonly Line[], account: string): bigint[] {
  return lines.filter((line) => line.account === account).map(({ amount }) => amount);
}

test('a case is opened once for each word of the bank, however often it is read', () => {
  const payout = acceptedIn('processing', { bankState: 'error' });
  assert.equal(reported(applyPaymentUpdate(payout, paymentIn('needs_attention'))), 'open');
  const other = paymentIn('needs_attention', { bankState: 'refund_failed' });
  assert.equal(reported(applyPaymentUpdate(payout, other)), 'needs_attention>processing | open | bank_needs_attention');
});

test('an amount that differs by one per cent is ours to bear, and past that a case, which stops the partner in live alone', () => {
  const atEdge = applyPaymentUpdate(payoutIn('sending'), paymentIn('accepted', { taken: (walletDebit * 99n) / 100n }));
  assert.deepEqual([atEdge.openCase, atEdge.blockPartner], [undefined, false]);
  for (const taken of [(walletDebit * 99n) / 100n - 1n, (walletDebit * 101n) / 100n + 1n]) {
    const live = applyPaymentUpdate(payoutIn('sending'), paymentIn('accepted', { taken }));
    assert.deepEqual([live.openCase?.kind, live.blockPartner], ['taken_differs', true]);
    const inSandbox = payoutIn('sending', { environment: 'sandbox', rail: 'provider_sandbox' });
    const sandbox = applyPaymentUpdate(inSandbox, paymentIn('accepted', { taken }));
    assert.deepEqual([sandbox.openCase?.kind, sandbox.blockPartner], ['taken_differs', false]);
  }
});

test('a difference of up to 1 USDC is ours to bear, however small the payout', () => {
  const small = payoutIn('sending', { walletDebit: 5_000_000n });
  for (const [taken, isOdd] of [
    [4_000_000n, false],
    [6_000_000n, false],
    [3_999_999n, true],
    [6_000_001n, true],
  ] as const) {
    const { openCase, blockPartner } = applyPaymentUpdate(small, paymentIn('accepted', { taken }));
    assert.deepEqual([openCase !== undefined, blockPartner], [isOdd, isOdd], `${taken}`);
  }
});

test('an amount that the bank changes later by more than one per cent opens a case too', () => {
  const changed = applyPaymentUpdate(acceptedIn('processing'), paymentIn('under_way', { taken: walletDebit * 2n }));
  assert.deepEqual([changed.openCase?.kind, changed.blockPartner], ['taken_differs', true]);
});

test('a cost that nothing can have is charged to nobody, and opens a case', () => {
  const free = [
    ledgerEvents.arrived({ held: walletDebit, byBank }),
    ledgerEvents.feeEarned({ invoiceShare: 99n }),
  ].flat();
  const costly = applyPaymentUpdate(acceptedIn('processing'), paymentIn('arrived', { networkFee: 100_000_001n }));
  assert.deepEqual([costly.openCase?.kind, costly.steps[0]?.lines], ['cost_not_believed', free]);
  const dear = applyPaymentUpdate(acceptedIn('processing'), paymentIn('arrived', { networkFee: 100_000_000n }));
  assert.equal(dear.openCase, undefined);
  const returned = applyPaymentUpdate(acceptedIn('completed'), paymentIn('refunded', { returnFee: 100_000_001n }));
  const without = applyPaymentUpdate(acceptedIn('completed'), paymentIn('refunded'));
  assert.deepEqual([returned.openCase?.kind, returned.steps], ['cost_not_believed', without.steps]);
});

test('two troubles at once are both in the case', () => {
  const { openCase } = applyPaymentUpdate(
    payoutIn('sending'),
    paymentIn('needs_attention', { taken: walletDebit * 2n }),
  );
  assert.equal(openCase?.kind, 'taken_differs');
  assert.match(openCase?.detail ?? '', /the bank debited 255\.700000 USDC; bank status error/);
});

test('why it failed is not forgotten when the refund does not say it again', () => {
  const failed = acceptedIn('failed', { failureCode: 'account_closed', failureReason: 'closed' });
  assert.equal(applyPaymentUpdate(failed, paymentIn('refunded')).bankFacts.failure?.code, 'account_closed');
  const said = paymentIn('refunded', { failure: 'recalled' });
  assert.equal(applyPaymentUpdate(failed, said).bankFacts.failure?.code, 'recalled');
});

test('an amount that is first said after the payment failed is booked before its refund', () => {
  const failed = acceptedIn('failed', { bankDebited: null });
  assert.equal(reported(applyPaymentUpdate(failed, paymentIn('undeliverable', { taken: null }))), 'open');
  const { steps, bankFacts } = applyPaymentUpdate(failed, paymentIn('refunded'));
  assert.deepEqual(
    steps.map(({ what }) => what),
    ['amount_taken', 'refunded'],
  );
  assert.equal(bankFacts.bankDebited, byBank);
});

test('an amount that changes after the end is a case, and the payout keeps what is in its books', () => {
  for (const state of ['completed', 'cancelled', 'returned'] as const) {
    const after = applyPaymentUpdate(acceptedIn(state), paymentIn('under_way', { taken: byBank + 1n }));
    assert.deepEqual([after.openCase?.kind, after.bankFacts.bankDebited], ['taken_changed_late', byBank], state);
  }
});

test('an amount that changes after the end is a case too where the word of the bank stays the same', () => {
  const completed = acceptedIn('completed', { bankState: words.arrived });
  const more = applyPaymentUpdate(completed, paymentIn('arrived', { taken: byBank + 1n }));
  assert.deepEqual(
    [more.openCase?.kind, more.bankFacts.bankDebited, more.isOver],
    ['taken_changed_late', byBank, true],
  );
  const returned = acceptedIn('returned', { bankState: words.refunded });
  const rest = applyPaymentUpdate(returned, paymentIn('refunded', { refunded: refund + 1n }));
  assert.deepEqual([rest.openCase?.kind, rest.bankFacts.bankRefunded], ['refund_changed_late', refund]);
  assert.equal(applyPaymentUpdate(returned, paymentIn('refunded')).steps.length, 0);
});

test('what the bank says after the end is a case once, however often it is read', () => {
  const completed = acceptedIn('completed', { bankState: words.arrived });
  for (const [bank, change, kind] of [
    ['refunded', { refunded: null }, 'refunded_without_amount'],
    ['cancelled', {}, 'cancelled_after_the_end'],
  ] as const) {
    const payment = paymentIn(bank, change);
    assert.equal(applyPaymentUpdate(completed, payment).openCase?.kind, kind);
    const again = applyPaymentUpdate({ ...completed, bankState: payment.bankState }, payment);
    assert.deepEqual([again.openCase, again.steps], [undefined, []], kind);
  }
});

test('a payment that is cancelled after the payout has arrived or failed is a case', () => {
  for (const state of ['completed', 'failed'] as const) {
    const { openCase, steps } = applyPaymentUpdate(acceptedIn(state), paymentIn('cancelled'));
    assert.equal(openCase?.kind, 'cancelled_after_the_end', state);
    assert(steps.every(({ to, lines }) => to === state && lines.length === 0));
  }
});

test('a payment that is said to have ended without its amounts does not end the payout, and a person is told', () => {
  const unknown = acceptedIn('processing', { bankDebited: null });
  for (const [bank, change, kind] of [
    ['arrived', { taken: null }, 'arrived_without_amount'],
    ['refunded', { taken: null }, 'refunded_without_amount'],
    ['refunded', { refunded: null }, 'refunded_without_amount'],
    ['cancelled', { refunded: null }, 'cancelled_without_refund'],
  ] as const) {
    const update = applyPaymentUpdate(unknown, paymentIn(bank, change));
    assert.equal(update.openCase?.kind, kind);
    assert(!update.isOver);
    assert(update.steps.every(({ to, lines }) => to === 'processing' && !touchesWallet(lines)));
  }
});

function touchesWallet(lines: readonly Line[]): boolean {
  return lines.some(({ account }) => account === 'wallet');
}

// Faults 25: a bank that walks through a life of a payment, and a service that sees some of it.

type End = 'arrived' | 'returned' | 'returned_after_arrival' | 'failed' | 'undelivered' | 'cancelled' | 'stuck';

interface Life {
  end: End;
  environment: 'sandbox' | 'live';
  taken: bigint;
  refund: bigint;
  /** What the bank's record said, moment after moment. */
  moments: Payment[];
}

const ends: Readonly<Record<End, readonly Payment['state'][]>> = {
  arrived: ['arrived'],
  returned: ['coming_back', 'refunded'],
  returned_after_arrival: ['arrived', 'coming_back', 'refunded'],
  failed: ['undeliverable', 'coming_back', 'refunded'],
  undelivered: ['undeliverable'],
  cancelled: ['cancelled'],
  stuck: ['needs_attention'],
};

const beginnings: readonly (readonly Payment['state'][])[] = [
  ['accepted'],
  ['accepted', 'under_way'],
  ['accepted', 'under_way', 'accepted', 'under_way'],
  ['accepted', 'needs_attention', 'under_way'],
];

const lives: fc.Arbitrary<Life> = fc
  .record({
    end: fc.constantFrom<End[]>(
      'arrived',
      'returned',
      'returned_after_arrival',
      'failed',
      'undelivered',
      'cancelled',
      'stuck',
    ),
    beginning: fc.constantFrom(...beginnings),
    environment: fc.constantFrom<('sandbox' | 'live')[]>('sandbox', 'live'),
    taken: fc.oneof(fc.constant(walletDebit), fc.bigInt(1n, walletDebit * 2n)),
    firstSaid: fc.oneof(fc.constant(0n), fc.bigInt(-1_000n, 1_000n)),
    kept: fc.oneof(fc.constant(0n), fc.bigInt(0n, walletDebit)),
    silentMoments: fc.nat({ max: 4 }),
    failure: fc.constantFrom<Payment['failure'][]>(null, 'account_closed', 'recalled'),
  })
  .map(({ end, beginning, environment, taken, firstSaid, kept, silentMoments, failure }) => {
    const states = [...beginning, ...ends[end]];
    const back = taken > kept ? taken - kept : taken;
    const moments = states.map((state, at): Payment => {
      const isLast = at === states.length - 1;
      // At first it does not say what it took; then it may say another amount; in the end it says the truth.
      const first = taken + firstSaid > 0n ? taken + firstSaid : taken;
      const said = at < beginning.length ? first : taken;
      const badEnd = at >= beginning.length && state !== 'arrived';
      return paymentIn(state, {
        taken: at < silentMoments && !isLast ? null : said,
        refunded: state === 'refunded' || state === 'cancelled' ? back : null,
        // Nobody recalls what was never delivered.
        failure: badEnd && !(end === 'failed' && failure === 'recalled') ? failure : null,
      });
    });
    return { end, environment, taken, refund: back, moments };
  });

const legalTransitions = new Set([
  'sending>processing',
  'pending>processing',
  'processing>completed',
  'processing>failed',
  'processing>cancelled',
  'processing>returned',
  'completed>returned',
]);

const pounds = new Set(['receivable', 'revenue', 'credit_due']);
const accrued = new Set(['accrued', 'accrued_revenue']);

function currencyOf(account: string): 'pounds' | 'millionths' | 'usdc' {
  if (accrued.has(account)) return 'millionths';
  return pounds.has(account) ? 'pounds' : 'usdc';
}

function completedAs(state: PayoutState): { completedAt?: Date } {
  return state === 'completed' ? { completedAt: charging.at } : {};
}

/** What the database keeps of a payout, as small as can be. It is as strict as the database. */
class Kept {
  payout: Payout;
  readonly books = new Map<string, bigint>();
  readonly cases: string[] = [];
  walletCredits = 0;
  isOver = false;

  constructor(payout: Payout) {
    this.payout = payout;
    this.post(ledgerEvents.hold({ principal: walletDebit - 1_000_000n, providerFee: 1_000_000n }));
  }

  balance(account: string): bigint {
    return this.books.get(account) ?? 0n;
  }

  post(lines: readonly Line[]): void {
    const sums = { pounds: 0n, millionths: 0n, usdc: 0n };
    for (const { account, amount } of lines) {
      sums[currencyOf(account)] += amount;
      this.books.set(account, this.balance(account) + amount);
    }
    assert.deepEqual(sums, { pounds: 0n, millionths: 0n, usdc: 0n });
  }

  see(payment: Payment): PaymentUpdate {
    const update = applyPaymentUpdate(this.payout, payment);
    const { bankFacts, steps, openCase } = update;
    this.isOver = update.isOver;
    if (steps.length === 0) {
      assert.equal(openCase, undefined, 'a case without a commit that opens it');
      return update;
    }
    for (const { to, lines } of steps) {
      const transition = `${this.payout.state}>${to}`;
      assert(to === this.payout.state || legalTransitions.has(transition), transition);
      this.post(lines);
      if (touchesWallet(lines)) this.walletCredits += 1;
      this.payout = { ...this.payout, state: to, ...completedAs(to), revision: this.payout.revision + 1 };
    }
    if (openCase !== undefined) this.cases.push(openCase.kind);
    this.learn(bankFacts);
    this.assertBooks();
    return update;
  }

  learn(bankFacts: PaymentUpdate['bankFacts']): void {
    this.payout = {
      ...this.payout,
      bankPaymentId: bankFacts.bankPaymentId ?? this.payout.bankPaymentId,
      bankState: bankFacts.bankState ?? this.payout.bankState,
      bankDebited: bankFacts.bankDebited ?? this.payout.bankDebited,
      bankRefunded: bankFacts.bankRefunded ?? this.payout.bankRefunded,
      failureCode: bankFacts.failure?.code ?? this.payout.failureCode,
    };
  }

  /** What each state leaves held and in transit, at every moment. */
  assertBooks(): void {
    const { state, bankDebited, bankRefunded } = this.payout;
    const waits = state === 'sending' || state === 'pending' || state === 'processing';
    const open = waits || (state === 'failed' && bankRefunded === null);
    assert.equal(this.balance('held'), open ? -walletDebit : 0n, `held while ${state}`);
    assert.equal(this.balance('in_transit'), open ? (bankDebited ?? 0n) : 0n, `in transit while ${state}`);
    assert(this.walletCredits <= 1, 'the wallet was credited twice');
    if (this.isOver) assert(!open, `over while ${state}`);
  }
}

function keptOf({ environment }: Life, state: 'sending' | 'pending'): Kept {
  const rail = environment === 'live' ? 'provider_production' : 'provider_sandbox';
  return new Kept(payoutIn(state, { environment, rail }));
}

/** What the partner has back, and where the payout ends. */
function expectedEnd(life: Life, { payout }: Kept): { state: PayoutState; back: bigint } {
  switch (life.end) {
    case 'arrived':
      return { state: 'completed', back: 0n };
    case 'returned':
    case 'returned_after_arrival': {
      // The bank's record of a refund does not say whether it arrived before. In doubt the partner has all of it.
      const isSaid = life.moments.at(-1)?.failure === 'recalled';
      if (!isSaid && payout.completedAt === null) return { state: 'failed', back: walletDebit };
      return { state: 'returned', back: isPlausible(life) ? life.refund : 0n };
    }
    case 'failed':
      return { state: 'failed', back: walletDebit };
    case 'undelivered':
      return { state: 'failed', back: 0n };
    case 'cancelled':
      return { state: 'cancelled', back: walletDebit };
    case 'stuck':
      return { state: 'processing', back: 0n };
  }
}

function isPlausible({ taken, refund: back }: Life): boolean {
  return back <= taken && back >= taken - 1_260_000n - taken / 100n;
}

function assertEnd(life: Life, kept: Kept): void {
  const { state, back } = expectedEnd(life, kept);
  assert.equal(kept.payout.state, state);
  assert.equal(-kept.balance('wallet'), back - walletDebit);
  const isOpen = life.end === 'undelivered' || life.end === 'stuck';
  assert.equal(kept.isOver, !isOpen);
  if (life.end === 'stuck') assert(kept.cases.length > 0, 'nobody was told');
  const gone = state === 'returned' && !isPlausible(life) ? life.refund : 0n;
  assert.equal(-kept.balance('suspense'), gone);
  assert(gone === 0n || kept.cases.length > 0, 'nobody was told of the return');
  // Our books of the bank's wallet are what the bank did.
  const gaveBack = life.moments.at(-1)?.refunded ?? 0n;
  assert.equal(kept.balance('bank_wallet'), gaveBack - life.taken);
  const charged = life.environment === 'live' && state === 'completed' ? 99n : 0n;
  assert.equal(kept.balance('receivable'), charged);
}

const runs = { numRuns: 10_000 };
const firstStates = fc.constantFrom<('sending' | 'pending')[]>('sending', 'pending');
const sightings = fc.array(fc.nat({ max: 7 }), { maxLength: 12 });

function momentAt({ moments }: Life, at: number): Payment {
  const moment = moments[Math.min(at, moments.length - 1)];
  assert(moment !== undefined);
  return moment;
}

test('faults 25: whichever moments of a payment are seen, its end is the same, and so are the books', () => {
  fc.assert(
    fc.property(lives, firstStates, sightings, (life, first, seen) => {
      const kept = keptOf(life, first);
      for (const at of seen.toSorted((one, other) => one - other)) kept.see(momentAt(life, at));
      kept.see(momentAt(life, life.moments.length));
      assertEnd(life, kept);
      assert.deepEqual(kept.see(momentAt(life, life.moments.length)).steps, [], 'the same news once more');
    }),
    runs,
  );
});

test('faults 25: even news in an impossible order makes no illegal move, no unbalanced book and no second credit', () => {
  fc.assert(
    fc.property(lives, firstStates, sightings, (life, first, seen) => {
      const kept = keptOf(life, first);
      for (const at of seen) kept.see(momentAt(life, at));
      kept.see(momentAt(life, life.moments.length));
      if (kept.isOver) assert.deepEqual([kept.balance('held'), kept.balance('in_transit')], [0n, 0n]);
    }),
    runs,
  );
});
