import { plans, type BillingEvent, type BillingPlan, type PlannedPayout, type PlanName } from './billing-plan.ts';

// What the invoices of a plan must be, reckoned by other means than the service's: from the rules in words, with no database,
// no time zone of the machine's and none of the service's code.

export interface ModelInvoice {
  partner: number;
  period: string;
  /** Pence by kind. */
  lines: Record<string, bigint>;
  total: bigint;
  carriedOut: bigint;
  paid: bigint;
  state: 'open' | 'paid' | 'void';
}

/** The last Sunday of a month, at one o'clock in the morning in UTC: when clocks change in Britain. */
function clocksChange(year: number, month: number): number {
  const lastDay = new Date(Date.UTC(year, month + 1, 0));
  return Date.UTC(year, month, lastDay.getUTCDate() - lastDay.getUTCDay(), 1);
}

/** The month that it is in London, as 2028-03. */
export function monthInLondon(at: number): string {
  const year = new Date(at).getUTCFullYear();
  const isSummer = at >= clocksChange(year, 2) && at < clocksChange(year, 9);
  return new Date(at + (isSummer ? 3_600_000 : 0)).toISOString().slice(0, 7);
}

const roundHalfUp = (dividend: bigint, divisor: bigint): bigint =>
  (dividend * 10n) / divisor / 10n + (((dividend * 10n) / divisor) % 10n >= 5n ? 1n : 0n);

function partOf(amount: bigint, fixed: number, points: number): bigint {
  return BigInt(fixed) + roundHalfUp(amount * BigInt(points), 10_000n);
}

/** What a payout costs by a plan, and what the wallet sends for it. */
function priceOf({ amountPence, rate }: PlannedPayout, name: PlanName) {
  const plan = plans[name];
  const amount = BigInt(amountPence);
  const fee = partOf(amount, plan.fixed, plan.points);
  const providerFee = partOf(amount, plan.bankFixed, plan.bankPoints);
  const exactCents = (amount + providerFee) * 1_000_000n;
  const cents = exactCents / BigInt(rate) + (exactCents % BigInt(rate) === 0n ? 0n : 1n);
  return { fee, providerFee, invoiceShare: fee - providerFee, walletDebit: cents * 10_000n };
}

/** What the bank gives back of what it took: all but a part of its share. */
function refundOf(payout: PlannedPayout, name: PlanName, keptThousandths: number): bigint {
  const { providerFee, walletDebit } = priceOf(payout, name);
  const taken = walletDebit + BigInt(payout.besides);
  const shareInUsdc = (providerFee * 10_000n * 1_000_000n) / BigInt(payout.rate);
  const back = taken - (shareInUsdc * BigInt(keptThousandths)) / 1_000n;
  return back > 0n ? back : 1n;
}

interface Charge {
  partner: number;
  month: string;
  kind: string;
  /** Pence; of network fees millionths of a pound. */
  amount: bigint;
}

const nextMonth = (month: string): string => {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return number === 12 ? `${year + 1}-01` : `${year}-${String(number + 1).padStart(2, '0')}`;
};

class Partner {
  readonly number: number;
  plan: PlanName = 'standard-1';
  approvedIn: string | null = null;
  /** The month until which the account has been charged. */
  paidFor = '';

  constructor(number: number) {
    this.number = number;
  }
}

class Model {
  readonly charges: Charge[] = [];
  readonly partners: Partner[];
  /** The plan that each payout was made by, and the month that it arrived in. */
  readonly made = new Map<string, PlanName>();
  readonly arrived = new Map<string, string>();
  /** Months that begin before this one are invoiced. */
  invoicedUntil = '';
  /** What became of invoices, by partner and month; and of each thing that operators wanted to do to one. */
  readonly collected = new Map<string, Pick<ModelInvoice, 'paid' | 'state'>>();
  readonly outcomes: string[] = [];
  /** Invoices with a charge that was credited since. */
  readonly credited = new Set<string>();

  constructor(count: number) {
    this.partners = Array.from({ length: count }, (_, number) => new Partner(number));
  }

  partner(number: number): Partner {
    const partner = this.partners[number];
    if (partner === undefined) throw new Error('no such partner');
    return partner;
  }

  charge(partner: number, at: number, kind: string, amount: bigint): void {
    if (amount !== 0n) this.charges.push({ partner, month: monthInLondon(at), kind, amount });
  }

  /** Every month that has begun by now, by the plan at its beginning. */
  chargeMonths(until: number): void {
    for (const partner of this.partners) {
      if (partner.approvedIn === null) continue;
      while (partner.paidFor < monthInLondon(until)) {
        partner.paidFor = nextMonth(partner.paidFor);
        const amount = BigInt(plans[partner.plan].monthly);
        if (amount > 0n)
          this.charges.push({ partner: partner.number, month: partner.paidFor, kind: 'monthly_account', amount });
      }
    }
  }

  take(event: BillingEvent): void {
    // Those that began before this instant: a plan that is changed as the month begins is the month's, also where something
    // else happens at that very instant before it.
    this.chargeMonths(event.at - 1);
    switch (event.kind) {
      case 'approved':
        return this.approve(event.partner, event.at);
      case 'plan': {
        this.partner(event.partner).plan = event.plan;
        return;
      }
      case 'created':
        this.made.set(keyOf(event.payout), this.partner(event.payout.partner).plan);
        return;
      case 'arrived':
        return this.arrive(event.payout, event.at);
      case 'returned':
        return this.giveBack(event, event.at);
      case 'exception': {
        const markup = BigInt(plans[this.partner(event.partner).plan].exception);
        const amount = roundHalfUp(BigInt(event.costPence) * (10_000n + markup), 10_000n);
        return this.charge(event.partner, event.at, 'bank_exceptions', amount);
      }
      case 'collect':
        this.outcomes.push(this.collect(event));
        return;
      case 'run':
        this.invoicedUntil = monthInLondon(event.at);
        return;
      case 'failed':
        return;
    }
  }

  collect({ partner, period, act, at }: Extract<BillingEvent, { kind: 'collect' }>): string {
    const invoice = invoicesOf(this, this.partner(partner), this.invoicedUntil).find((one) => one.period === period);
    if (invoice === undefined) return 'no_invoice';
    const { total, paid, state, lines } = invoice;
    const key = `${partner}/${period}`;
    if (act === 'void') {
      if (state !== 'open') return 'not_open';
      if (paid > 0n) return 'has_payments';
      if (this.credited.has(key)) return 'has_credits';
      this.collected.set(key, { paid, state: 'void' });
      const charges = Object.entries(lines).reduce(
        (sum, [kind, amount]) => sum + (kind === 'credit' ? 0n : amount),
        0n,
      );
      this.charge(partner, at, 'credit', charges - total);
      return 'void';
    }
    if (total === paid) return 'nothing';
    if (state !== 'open') return 'not_open';
    const now = paid + (act === 'pay' ? total - paid : (total - paid + 1n) / 2n);
    this.collected.set(key, { paid: now, state: now === total ? 'paid' : 'open' });
    return now === total ? 'paid' : 'part_paid';
  }

  approve(number: number, at: number): void {
    const partner = this.partner(number);
    const plan = plans[partner.plan];
    partner.approvedIn = monthInLondon(at);
    partner.paidFor = partner.approvedIn;
    this.charge(number, at, 'business_verification', BigInt(plan.verification));
    this.charge(number, at, 'monthly_account', BigInt(plan.monthly));
  }

  planOf(payout: PlannedPayout): PlanName {
    const name = this.made.get(keyOf(payout));
    if (name === undefined) throw new Error('a payout that was never made');
    return name;
  }

  arrive(payout: PlannedPayout, at: number): void {
    const name = this.planOf(payout);
    this.arrived.set(keyOf(payout), monthInLondon(at));
    this.charge(payout.partner, at, 'payout_fees', priceOf(payout, name).invoiceShare);
    const cost = BigInt(payout.networkFee ?? 0) * BigInt(payout.rate);
    const network = roundHalfUp(cost * (10_000n + BigInt(plans[name].network)), 10_000n * 1_000_000n);
    this.charge(payout.partner, at, 'network_fees', network);
  }

  giveBack({ payout, back }: Extract<BillingEvent, { kind: 'returned' }>, at: number): void {
    const name = this.planOf(payout);
    const { invoiceShare, providerFee, walletDebit } = priceOf(payout, name);
    const arrivedIn = this.arrived.get(keyOf(payout));
    if (arrivedIn === monthInLondon(at)) this.charge(payout.partner, at, 'payout_fees', -invoiceShare);
    else if (arrivedIn !== undefined)
      this.creditFee(`${payout.partner}/${arrivedIn}`, payout.partner, at, invoiceShare);
    const missing = walletDebit - refundOf(payout, name, back.keptThousandths);
    if (missing > 0n) {
      const inPence = roundHalfUp(missing * BigInt(payout.rate), 1_000_000n * 10_000n);
      this.charge(payout.partner, at, 'credit', inPence < providerFee ? inPence : providerFee);
    }
    const cost = BigInt(back.returnFee ?? 0) * BigInt(payout.rate) * (10_000n + BigInt(plans[name].exception));
    this.charge(payout.partner, at, 'bank_exceptions', roundHalfUp(cost, 10_000n * 1_000_000n * 10_000n));
  }

  /** What was charged on an invoice is given back, but not a second time where voiding the invoice has done so. */
  creditFee(invoice: string, partner: number, at: number, amount: bigint): void {
    this.charge(partner, at, 'credit', amount);
    if (this.collected.get(invoice)?.state === 'void') this.charge(partner, at, 'credit', -amount);
    else if (amount > 0n) this.credited.add(invoice);
  }
}

function keyOf({ partner, number }: PlannedPayout): string {
  return `${partner}/${number}`;
}

function invoicesOf(model: Model, partner: Partner, until: string): ModelInvoice[] {
  const invoices: ModelInvoice[] = [];
  let carried = 0n;
  for (let period = partner.approvedIn ?? until; period < until; period = nextMonth(period)) {
    const charges = model.charges.filter((one) => one.partner === partner.number && one.month === period);
    if (charges.length === 0) continue;
    const lines: Record<string, bigint> = carried > 0n ? { credit: carried } : {};
    for (const { kind, amount } of charges) lines[kind] = (lines[kind] ?? 0n) + amount;
    if (lines['network_fees'] !== undefined) lines['network_fees'] = roundHalfUp(lines['network_fees'], 10_000n);
    const owed = Object.entries(lines).reduce(
      (sum, [kind, amount]) => sum + (kind === 'credit' ? -amount : amount),
      0n,
    );
    carried = owed < 0n ? -owed : 0n;
    const { paid, state } = model.collected.get(`${partner.number}/${period}`) ?? { paid: 0n, state: 'open' };
    invoices.push({
      partner: partner.number,
      period,
      lines,
      total: owed < 0n ? 0n : owed,
      carriedOut: carried,
      paid,
      state,
    });
  }
  return invoices;
}

/** The invoices of all months that are over when the plan is, and what came of each attempt to collect one. */
export function expectYear({ partners, events }: BillingPlan): { invoices: ModelInvoice[]; outcomes: string[] } {
  const model = new Model(partners);
  for (const event of events) model.take(event);
  const end = events.at(-1)?.at ?? 0;
  model.chargeMonths(end);
  const invoices = model.partners.flatMap((partner) => invoicesOf(model, partner, monthInLondon(end)));
  return { invoices, outcomes: model.outcomes };
}
