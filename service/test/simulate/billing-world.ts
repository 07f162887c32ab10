import { createHash, randomUUID } from 'node:crypto';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import type { Payment } from '../../src/banks/index.ts';
import { chargeApproval, chargeException, runInvoices } from '../../src/billing/index.ts';
import { listInvoices } from '../../src/billing/invoices/store.ts';
import { markOverdueInvoices } from '../../src/billing/payments/mark-overdue.ts';
import { ledgerEvents, postTransfers } from '../../src/ledger/index.ts';
import { payoutCost } from '../../src/money/fees.ts';
import { usdcForPounds } from '../../src/money/rates.ts';
import { createPlanMarkups, createPartnerEnvironments, type PartnerEnvironment } from '../../src/partners/index.ts';
import { applyPaymentUpdate } from '../../src/payouts/lifecycle/apply-payment-update.ts';
import type { NewPayout } from '../../src/payouts/records/create-payouts.ts';
import { createCommits } from '../../src/payouts/index.ts';
import type { Payout } from '../../src/payouts/model/payout.ts';
import { findPayout } from '../../src/payouts/records/payout-store.ts';
import type { Clock } from '../../src/platform/clock.ts';
import { noFailpoint } from '../../src/platform/failpoint.ts';
import { openPool } from '../../src/platform/database/pool.ts';
import { createSingleCalls, type SingleCalls } from '../../src/platform/database/single-call.ts';
import { inTransaction } from '../../src/platform/database/transaction.ts';
import { newId } from '../../src/platform/ids.ts';
import { createLogger } from '../../src/platform/logging.ts';
import { monthBefore, monthOf } from '../../src/platform/london-month.ts';
import { openOperators } from '../billing/collecting-operators.ts';
import type { TestDatabase } from '../harness/database.ts';
import { plans, yearBegins, type BillingEvent, type PlannedPayout, type PlannedReturn } from './billing-plan.ts';

// The service's own code and a real database under a clock that the plan moves. Only the bank is missing: what it would say
// is in the plan.

interface SimulatedPartner {
  partnerId: string;
  environment: 'live';
  keyId: string;
}

const mostRuns = 5;

const keyPrefix = 'kp_live_00000000';

/** More than any wallet spends in a year. */
const deposit = 10n ** 15n;

/** The plans, and the months of the year: nobody has made partitions that far ahead. */
export async function prepareYear({ superuserUrl }: Pick<TestDatabase, 'superuserUrl'>): Promise<void> {
  await asAdmin(superuserUrl, async (client) => {
    for (const [id, plan] of Object.entries(plans)) {
      const { fixed, points, bankFixed, bankPoints, monthly, verification, network, exception } = plan;
      await client.query(
        `insert into kelpie.price_plans (
           id, fixed_pence, basis_points, bank_fixed_pence, bank_basis_points, monthly_pence, verification_pence,
           network_markup_basis_points, exception_markup_basis_points, created_at
         ) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, now()) on conflict do nothing`,
        [id, fixed, points, bankFixed, bankPoints, monthly, verification, network, exception],
      );
    }
    const { rows } = await client.query<{ parent_name: string; month_start: Date }>(
      'select parent_name, month_start from kelpie.missing_month_partitions($1, 14)',
      [new Date(yearBegins)],
    );
    for (const { parent_name: parent, month_start: month } of rows)
      await client.query('select kelpie.make_month_partition($1, $2)', [parent, month]);
  });
}

function keyOf({ partner, number }: PlannedPayout): string {
  return `${partner}/${number}`;
}

function openDeps(database: TestDatabase, clock: Clock) {
  const logger = createLogger('simulate', 'silent');
  const pool = openPool({ url: database.serviceUrl, connections: 4, applicationName: 'simulate-billing', logger });
  const calls = createSingleCalls(pool, noFailpoint);
  return {
    pool,
    calls,
    clock,
    logger,
    failpoint: noFailpoint,
    // Emails are not simulated.
    jobs: { enqueue: async () => 'none' },
    commits: createCommits(calls, clock, { atOnce: 64 }),
    markups: createPlanMarkups(calls),
  };
}

export class BillingWorld {
  private now = yearBegins;
  private readonly clock: Clock = { now: () => new Date(this.now) };
  private readonly superuserUrl: string;
  private readonly deps: ReturnType<typeof openDeps>;
  /** Of the year that is being played. */
  private partners: SimulatedPartner[] = [];
  private readonly payoutIds = new Map<string, string>();
  private readonly operators: ReturnType<typeof openOperators>;
  /** What came of each attempt to collect an invoice, in the year that is being played. */
  outcomes: string[] = [];

  constructor(database: TestDatabase) {
    this.superuserUrl = database.superuserUrl;
    this.deps = openDeps(database, this.clock);
    this.operators = openOperators({ database, clock: this.clock, jobs: this.deps.jobs });
  }

  get calls(): SingleCalls {
    return this.deps.calls;
  }

  /** Another year begins, with partners of its own. */
  beginAgain(): void {
    this.partners = [];
    this.outcomes = [];
    this.payoutIds.clear();
  }

  partnerIds(): string[] {
    return this.partners.map(({ partnerId }) => partnerId);
  }

  async end(): Promise<void> {
    await this.operators.end();
    await this.deps.pool.end();
  }

  async perform(event: BillingEvent): Promise<void> {
    this.now = event.at;
    switch (event.kind) {
      case 'approved':
        return this.approve(event.partner);
      case 'plan':
        return this.changePlan(event.partner, event.plan);
      case 'created':
        return this.create(event.payout);
      case 'arrived':
        return this.follow(event.payout, { state: 'arrived', bankState: 'payment_processed' });
      case 'failed':
        return this.follow(event.payout, { state: 'undeliverable', bankState: 'undeliverable' });
      case 'returned':
        return this.follow(event.payout, { state: 'refunded', bankState: 'refunded', back: event.back });
      case 'exception':
        return this.charge(event);
      case 'collect':
        this.outcomes.push(await this.collect(event));
        return;
      case 'run':
        return this.run(event.workers);
    }
  }

  private partnerAt(number: number): SimulatedPartner {
    const partner = this.partners[number];
    if (partner === undefined) throw new Error('a partner that is not there yet');
    return partner;
  }

  /** As the commit of an approval leaves it, with its charges; and with more than enough to pay from. */
  private async approve(number: number): Promise<void> {
    const { pool } = this.deps;
    const partnerId = newId(this.clock);
    const at = this.clock.now();
    const keyId = await plantLivePartner(this.superuserUrl, partnerId, at);
    await inTransaction(pool, { partnerId, environment: 'sandbox' }, async (tx) => chargeApproval(tx, partnerId, at));
    const partnerEnvironment = { partnerId, environment: 'live' } as const;
    this.partners[number] = { ...partnerEnvironment, keyId };
    const id = newId(this.clock);
    await inTransaction(pool, partnerEnvironment, async (tx) =>
      postTransfers(tx, [
        { id, ...partnerEnvironment, reason: 'deposit.credited', causeId: id, lines: ledgerEvents.deposit(deposit) },
      ]),
    );
  }

  private async create(planned: PlannedPayout): Promise<void> {
    const partner = this.partnerAt(planned.partner);
    // Anew each time: what an api remembers of prices is not what is tried here.
    const partnerEnvironment = await createPartnerEnvironments(this.calls).get(partner);
    const made = newPayout(planned, partner, partnerEnvironment, this.clock);
    const outcome = await this.deps.commits.create(made);
    if (outcome.kind !== 'created') throw new Error(`a payout was not created: ${outcome.kind}`);
    this.payoutIds.set(keyOf(planned), made.payout.id);
    await this.follow(planned, { state: 'accepted', bankState: 'pending' });
  }

  /** What the worker does when the bank has news. */
  private async follow(planned: PlannedPayout, word: Word): Promise<void> {
    const { commits, markups } = this.deps;
    const payout = await findPayout(
      this.calls,
      this.partnerAt(planned.partner),
      this.payoutIds.get(keyOf(planned)) ?? '',
    );
    if (payout === null) throw new Error('a payout that is not there');
    const at = this.clock.now();
    const charging = { at, markups: await markups.get(payout.pricePlan) };
    const { isOver: _over, ...update } = applyPaymentUpdate(payout, paymentOf(planned, payout, word), charging);
    if (update.steps.length === 0) throw new Error('the bank had no news');
    const transition = { at, by: 'bank', ...update, schedule: { kind: 'close' } } as const;
    if (!(await commits.applyTransition({ payout, transition }))) throw new Error('a payout that somebody else moved');
  }

  /** Where it did not work for a partner it comes round again, as the job does; in the end it has to. */
  private async run(workers: number): Promise<void> {
    const upto = monthBefore(monthOf(this.clock.now()));
    for (let tries = 0; tries < mostRuns; tries += 1) {
      const partnerEnvironment = Array.from({ length: workers }, async () => runInvoices(this.deps, { upto }));
      const reports = await Promise.all(partnerEnvironment);
      if (reports.every(({ failed }) => failed === 0)) return this.markOverdue();
    }
    throw new Error('a partner could not be invoiced');
  }

  private async markOverdue(): Promise<void> {
    await markOverdueInvoices(this.deps, new AbortController().signal);
  }

  private async collect({ partner, period, act }: Extract<BillingEvent, { kind: 'collect' }>): Promise<string> {
    const partnerId = this.partners[partner]?.partnerId;
    if (partnerId === undefined) return 'no_invoice';
    const listed = await listInvoices(this.calls, partnerId, { fromPeriod: period, atMost: 100 });
    const invoice = listed.find((one) => one.period === period);
    if (invoice === undefined) return 'no_invoice';
    const { id: invoiceId, total, paid } = invoice;
    if (act === 'void') return this.operators.voidInvoice(invoiceId);
    const left = total - paid;
    if (left === 0n) return 'nothing';
    const amount = act === 'pay' ? left : (left + 1n) / 2n;
    return this.operators.pay({ invoiceId, partnerId, amount, bankReference: newId(this.clock) });
  }

  private async charge({ partner, number, costPence }: Extract<BillingEvent, { kind: 'exception' }>): Promise<void> {
    const partnerEnvironment = this.partnerAt(partner);
    const { partnerId } = partnerEnvironment;
    const bill = { bankReference: `bill-${number}`, cost: BigInt(costPence), by: 'simulated' };
    const billed = { ...bill, partnerId, payoutId: newId(this.clock), at: this.clock.now() };
    await inTransaction(this.deps.pool, partnerEnvironment, async (tx) => chargeException(tx, billed));
    // Whoever types it twice charges it once.
    await inTransaction(this.deps.pool, partnerEnvironment, async (tx) => chargeException(tx, billed));
  }

  private async changePlan(partner: number, plan: string): Promise<void> {
    const { partnerId, environment } = this.partnerAt(partner);
    // As the function that operators have does it, without their log.
    await asAdmin(this.superuserUrl, async (client) => {
      await client.query(
        `select set_config('kelpie.partner_id', $1, false), set_config('kelpie.environment', $2, false)`,
        [partnerId, environment],
      );
      await client.query('select kelpie.change_price_plan($1, $2, $3)', [this.clock.now(), plan, 'simulated']);
    });
  }
}

/** A partner with both its sides, and a live key. Says the key's id. */
async function plantLivePartner(superuserUrl: string, partnerId: string, at: Date): Promise<string> {
  const keyId = newId({ now: () => at });
  await asAdmin(superuserUrl, async (client) => {
    await client.query(
      `insert into kelpie.partners (id, slug, name, status, created_at)
       values ($1::text::uuid, 'b-' || right($1::text, 12), 'Billed', 'active', $2)`,
      [partnerId, at],
    );
    await client.query(
      `insert into kelpie.partner_environments (partner_id, environment, created_at, rail, bank_customer_id, bank_wallet_id)
       values ($1, 'sandbox', $2, 'simulated', null, null), ($1, 'live', $2, 'provider_production', 'c', 'w')`,
      [partnerId, at],
    );
    await client.query(`insert into kelpie.wallets (partner_id, environment) values ($1, 'sandbox'), ($1, 'live')`, [
      partnerId,
    ]);
    // Daily limits are not what is tried here.
    await client.query(
      `insert into kelpie.spending_limits (partner_id, environment, daily_pence, new_payee_pence, highest_daily_pence)
       values ($1, 'live', 10000000000, 10000000000, 10000000000)`,
      [partnerId],
    );
    await client.query(
      `insert into kelpie.api_keys (id, partner_id, environment, key_prefix, secret_hmac, created_at)
       values ($1, $2, 'live', $5, $3, $4)`,
      [keyId, partnerId, createHash('sha256').update(keyId).digest(), at, keyPrefix],
    );
  });
  return keyId;
}

/** As the service first writes one, by the prices of the partner's environment. */
function newPayout(
  planned: PlannedPayout,
  partner: SimulatedPartner,
  partnerEnvironment: PartnerEnvironment,
  clock: Clock,
): NewPayout {
  const { partnerId, environment, keyId } = partner;
  const at = clock.now();
  const amount = BigInt(planned.amountPence);
  const rate = BigInt(planned.rate);
  const { fee, providerFee, walletDebit } = payoutCost(amount, rate, partnerEnvironment.prices);
  const principal = usdcForPounds(amount, rate);
  const id = newId(clock);
  const orderId = randomUUID();
  const hold = ledgerEvents.hold({ principal, providerFee: walletDebit - principal });
  return {
    payout: {
      ...unknownYet,
      id,
      partnerId,
      environment,
      idempotencyKey: orderId,
      orderId,
      reference: `Order ${planned.number}`,
      amount,
      fee,
      providerFee,
      walletDebit,
      rate,
      pricePlan: partnerEnvironment.pricePlan,
      updatedAt: at,
    },
    callerId: keyId,
    confirmation: null,
    retry: null,
    fingerprint: Buffer.of(1),
    transfers: [{ id, reason: 'payout.hold', lines: hold }],
    open: { leasedUntil: at, dueAt: at },
    activity: null,
  };
}

/** What is the same of all of them. */
const unknownYet = {
  rail: 'provider_production',
  state: 'sending',
  bankReference: 'KP',
  recipientName: 'Ada Byron',
  accountLast4: '5678',
  recipientEncrypted: Buffer.of(1),
  accountIndex: Buffer.alloc(32),
  bankRecipientEncrypted: null,
  createdVia: 'api',
  createdBy: keyPrefix,
  bankPaymentId: null,
  bankState: null,
  bankDebited: null,
  failureCode: null,
  failureReason: null,
} as const;

type Word = Pick<Payment, 'state' | 'bankState'> & { back?: PlannedReturn };

/** What the bank would say of it. */
function paymentOf(planned: PlannedPayout, payout: Payout, { back, ...word }: Word): Payment {
  const taken = payout.walletDebit + BigInt(planned.besides);
  return {
    id: `t-${payout.id}`,
    ourReference: payout.orderId,
    pays: payout.amount,
    recipientId: null,
    ...word,
    taken,
    refunded: back === undefined ? null : refund(payout, taken, back.keptThousandths),
    failure: back === undefined ? null : 'recalled',
    networkFee: planned.networkFee === null ? null : BigInt(planned.networkFee),
    returnFee: back === undefined || back.returnFee === null ? null : BigInt(back.returnFee),
  };
}

/** All that was taken, but for a part of the bank's share. */
function refund(payout: { providerFee: bigint; rate: bigint }, taken: bigint, keptThousandths: number): bigint {
  const shareInUsdc = (payout.providerFee * 10_000n * 1_000_000n) / payout.rate;
  const back = taken - (shareInUsdc * BigInt(keptThousandths)) / 1_000n;
  return back > 0n ? back : 1n;
}
