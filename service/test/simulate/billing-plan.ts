import { randomFrom, type Random } from './random.ts';

// A year of a few partners' lives, as far as it costs money. Pure: a seed that found something finds it again.

/** A leap year, from a little before it to a little after. */
export const yearBegins = Date.parse('2028-01-01T00:00:00Z');
const yearEnds = Date.parse('2029-01-01T00:00:00Z');

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** The instants at which clocks and calendars go wrong: the ends of months in London, of days, and of summer time. */
const edges = [
  ...Array.from({ length: 12 }, (_, month) => Date.UTC(2028, month, 1)),
  // From April to October, a month begins in London an hour before it does in UTC.
  ...Array.from({ length: 7 }, (_, month) => Date.UTC(2028, month + 3, 1) - hour),
  Date.parse('2028-02-29T00:00:00Z'),
  Date.parse('2028-02-29T23:59:59.999Z'),
  Date.parse('2028-03-26T01:00:00Z'),
  Date.parse('2028-10-29T00:00:00Z'),
  Date.parse('2028-10-29T01:00:00Z'),
];
const nudges = [0, 0, 0, 1, -1, second, -second, hour, -hour, 1_800 * second];

export interface PlannedPayout {
  partner: number;
  number: number;
  amountPence: number;
  /** Pounds for a dollar, in millionths. */
  rate: number;
  /** What the bank says that it cost the network, in micro-USDC; null where it does not. */
  networkFee: number | null;
  /** What the bank takes more or less than we reckon, in micro-USDC. */
  besides: number;
}

export interface PlannedReturn {
  /** How much of what was taken the bank keeps, in thousandths of its share of the fee; above 1,000 it keeps more than that. */
  keptThousandths: number;
  returnFee: number | null;
}

export type BillingEvent = { at: number } & (
  | { kind: 'approved'; partner: number }
  | { kind: 'plan'; partner: number; plan: PlanName }
  | { kind: 'created'; payout: PlannedPayout }
  | { kind: 'arrived' | 'failed'; payout: PlannedPayout }
  | { kind: 'returned'; payout: PlannedPayout; back: PlannedReturn }
  | { kind: 'exception'; partner: number; number: number; costPence: number }
  /** What operators do about the invoice of a month, if there is one by then. */
  | { kind: 'collect'; partner: number; period: string; act: 'pay' | 'pay_half' | 'void' }
  /** The monthly run, by as many workers at once. */
  | { kind: 'run'; workers: number }
);

export interface BillingPlan {
  partners: number;
  events: BillingEvent[];
}

/** Plans beside the standard one: dearer; one that is free but for payouts; and one in which all of the fee is the bank's. */
export const plans = {
  'standard-1': {
    fixed: 99,
    points: 100,
    bankFixed: 50,
    bankPoints: 50,
    monthly: 1500,
    verification: 3900,
    network: 1000,
    exception: 2000,
  },
  'dear-1': {
    fixed: 149,
    points: 137,
    bankFixed: 33,
    bankPoints: 41,
    monthly: 2599,
    verification: 4901,
    network: 1333,
    exception: 2750,
  },
  'free-1': {
    fixed: 0,
    points: 25,
    bankFixed: 0,
    bankPoints: 0,
    monthly: 0,
    verification: 0,
    network: 0,
    exception: 0,
  },
  'bank-1': {
    fixed: 50,
    points: 50,
    bankFixed: 50,
    bankPoints: 50,
    monthly: 1,
    verification: 1,
    network: 9999,
    exception: 1,
  },
} as const;
export type PlanName = keyof typeof plans;
const planNames: readonly PlanName[] = ['standard-1', 'dear-1', 'free-1', 'bank-1'];

function pick<Item>(random: Random, items: readonly Item[]): Item {
  const item = items[random.below(items.length)];
  if (item === undefined) throw new Error('nothing to pick from');
  return item;
}

/** An instant of the year, often one at an edge. */
function instantIn(random: Random, from: number, until: number): number {
  const near = edges.map((edge) => edge + pick(random, nudges)).filter((at) => at >= from && at < until);
  if (near.length > 0 && random.below(5) < 2) return pick(random, near);
  return from + random.below(until - from);
}

/** How long it takes from one thing to the next: seconds, hours, weeks, or to the very edge of a month. */
function later(random: Random, at: number): number {
  const nextEdge = edges.toSorted((one, other) => one - other).find((edge) => edge > at);
  if (nextEdge !== undefined && random.below(4) === 0) return Math.max(at + 1, nextEdge + pick(random, nudges));
  return at + 1 + random.below(pick(random, [5 * second, hour, day, 10 * day, 75 * day]));
}

function payoutEvents(random: Random, partner: number, number: number, from: number): BillingEvent[] {
  const payout: PlannedPayout = {
    partner,
    number,
    amountPence: pick(random, [100, 101, 333, 4_999, 10_000, 50_050, 2_000_000, 100 + random.below(1_999_900)]),
    rate: pick(random, [790_000, 791_234, 1_500_000]),
    networkFee: pick(random, [20_000, 20_000, null, 1, 12_345, 999_999]),
    besides: pick(random, [0, 0, 0, 5_000, -5_000]),
  };
  const created = instantIn(random, from, yearEnds - day);
  const ended = later(random, created);
  const events: BillingEvent[] = [{ at: created, kind: 'created', payout }];
  if (ended >= yearEnds) return events;
  const fate = random.below(10);
  if (fate === 0) return [...events, { at: ended, kind: 'failed', payout }];
  // Some come back before they arrive.
  if (fate !== 1) events.push({ at: ended, kind: 'arrived', payout });
  if (fate > 4) return events;
  const back = {
    keptThousandths: pick(random, [0, 0, 1_000, 500, 1, 1_700]),
    returnFee: pick(random, [500_000, null, 1, 7_777_777]),
  };
  const returned = later(random, ended);
  return returned < yearEnds ? [...events, { at: returned, kind: 'returned', payout, back }] : events;
}

function partnerEvents(random: Random, partner: number, payouts: number): BillingEvent[] {
  const approved = instantIn(random, yearBegins, yearBegins + 100 * day);
  const events: BillingEvent[] = [{ at: approved, kind: 'approved', partner }];
  for (let number = 0; number < payouts; number += 1)
    events.push(...payoutEvents(random, partner, number, approved + 1));
  for (let change = random.below(4); change > 0; change -= 1) {
    const at = instantIn(random, approved + 1, yearEnds);
    events.push({ at, kind: 'plan', partner, plan: pick(random, planNames) });
  }
  for (let number = random.below(3); number > 0; number -= 1) {
    const at = instantIn(random, approved + 1, yearEnds);
    events.push({ at, kind: 'exception', partner, number, costPence: 1 + random.below(5_000) });
  }
  return events;
}

/** Invoices are paid at once, in parts, late or never, and now and then one is voided. */
function collections(random: Random, partner: number): BillingEvent[] {
  return Array.from({ length: 11 }, (_, month): BillingEvent[] => {
    const end = Date.UTC(2028, month + 1, 1);
    const period = new Date(end - day).toISOString().slice(0, 7);
    return Array.from({ length: random.below(3) }, () => {
      const at = end + minute + random.below(pick(random, [day, 20 * day, 75 * day]));
      return { at, kind: 'collect', partner, period, act: pick(random, ['pay', 'pay', 'pay_half', 'void'] as const) };
    });
  })
    .flat()
    .filter(({ at }) => at < yearEnds);
}

/** Some time after each month, also weeks; now and then not at all, so that the next has two months to do. */
function runs(random: Random): BillingEvent[] {
  const monthEnds = Array.from({ length: 11 }, (_, month) => Date.UTC(2028, month + 1, 1));
  const during = monthEnds
    .filter(() => random.below(6) > 0)
    .map((end): BillingEvent => {
      const at = end + pick(random, [0, 1, 5 * minute, 5 * minute, 3 * hour, 20 * day]);
      return { at, kind: 'run', workers: 1 + random.below(2) };
    });
  return [...during, { at: yearEnds + 5 * minute, kind: 'run', workers: 2 }];
}

export function planBilling({ seed, payouts = 14 }: { seed: number; payouts?: number }): BillingPlan {
  const random = randomFrom(seed);
  const partners = 1 + random.below(3);
  const lives = Array.from({ length: partners }, (_, partner) => partnerEvents(random, partner, payouts));
  const collected = Array.from({ length: partners }, (_, partner) => collections(random, partner));
  const events = [...lives.flat(), ...runs(random), ...collected.flat()].toSorted((one, other) => one.at - other.at);
  return { partners, events };
}
