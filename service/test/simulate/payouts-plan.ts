import { createHash } from 'node:crypto';
import { faultKinds, faultPoints, type FaultKind, type FaultPoint } from '@kelpie/sandbox-bank/src/faults.ts';
import { randomFrom, type Random } from './random.ts';

// What happens in a simulation of payouts, and when. Pure: a seed that found something finds it again.

/** What a partner asks for. */
export interface Order {
  /** Which partner, by its place. */
  partner: number;
  key: string;
  pounds: string;
  account: string;
  /** Its caller takes a 502 at its word, that nothing was sent, and does not ask again. */
  believes502: boolean;
}

/** As the bank's control takes it. */
export interface BankFault {
  on: FaultPoint | 'any';
  kind: FaultKind;
  times: number;
  delay_ms: number;
  status: number;
  code: string;
  micro_usdc: number;
}

const apis = ['api 1', 'api 2'] as const;
const workers = ['worker 1', 'worker 2'] as const;
export const victims = [...apis, ...workers, 'bank'] as const;
export type Victim = (typeof victims)[number];
export const webhookModes = ['normal', 'lose', 'repeat', 'shuffle'] as const;
export const transferActs = ['hold', 'release', 'return', 'fail', 'refund', 'forget', 'remember'] as const;
type TransferAct = (typeof transferActs)[number];

type Happening =
  /** `repeat` is the same body under the same key once more; `reuse` is another body under it. */
  | { kind: 'create' | 'repeat' | 'reuse'; order: Order }
  /** The bank holds it, and its partner wants it stopped. */
  | { kind: 'cancel'; order: Order }
  | { kind: 'act'; act: TransferAct; order: Order; body: object }
  /** The poor partner tops up, and the bank takes back the oldest of that, which is spent as a rule: then it is owed. */
  | { kind: 'deposit'; act: 'top_up' | 'take_back' }
  | { kind: 'fault'; fault: BankFault }
  | { kind: 'webhooks'; mode: (typeof webhookModes)[number] }
  | { kind: 'kill'; victim: Victim };

export type PlannedEvent = { atMs: number } & Happening;

export interface PayoutsPlan {
  /** How many partners it takes; the first one is poor. */
  partners: number;
  /** In the order of their times. */
  events: PlannedEvent[];
  /** Short, for people who compare two runs. */
  digest: string;
}

export const payoutsASecond = 20;
/** By so many micro-USDC at most the bank takes more, or less, than it should. */
export const mostTakenBesides = 50_000;
/** A payout of up to 5.00 GBP takes less than 8 USDC, and a wallet holds 10,000. */
const payoutsAWallet = 1_000;
const fewestPartners = 5;
/** Which no order has. */
const otherPounds = '9.00';

interface Planning {
  random: Random;
  lengthMs: number;
  partners: number;
  payoutsASecond: number;
  /** What the keys of its orders begin with: a second plan on the same database asks for other payouts. */
  keyPrefix: string;
  /** The least that an order is for. Live takes no less than three. */
  leastPounds: number;
}

function pick<Item>(random: Random, items: readonly Item[]): Item {
  const item = items[random.below(items.length)];
  if (item === undefined) throw new Error('there is nothing to pick from');
  return item;
}

/** Deals from a shuffled pack, and shuffles again once it is used up: no card is left out for long. */
function createDeck<Card>(random: Random, cards: readonly Card[]): () => Card {
  let left: Card[] = [];
  return () => {
    if (left.length === 0) left = [...cards];
    const [card] = left.splice(random.below(left.length), 1);
    if (card === undefined) throw new Error('there are no cards');
    return card;
  };
}

/** Moments with a random pause between each two. */
function momentsOf({ random, lengthMs }: Planning, shortestMs: number, longestMs: number): number[] {
  const moments: number[] = [];
  const pause = (): number => shortestMs + random.below(longestMs - shortestMs);
  for (let atMs = pause(); atMs < lengthMs; atMs += pause()) moments.push(atMs);
  return moments;
}

function planKills(planning: Planning): PlannedEvent[] {
  // Workers more often: an api takes seconds to start, and while both are down nothing happens that could go wrong.
  const next = createDeck(planning.random, [...workers, ...workers, ...apis]);
  const ours = momentsOf(planning, 1_000, 5_000).map((atMs) => ({ atMs, kind: 'kill' as const, victim: next() }));
  const banks = momentsOf(planning, 15_000, 40_000).map((atMs) => ({
    atMs,
    kind: 'kill' as const,
    victim: 'bank' as const,
  }));
  return [...ours, ...banks];
}

const rejections = [
  { status: 400, code: 'invalid_parameters' },
  { status: 400, code: 'insufficient_funds' },
  { status: 400, code: 'external_account_rejected' },
  { status: 404, code: 'not_found' },
  { status: 409, code: 'conflict' },
  { status: 422, code: 'idempotency_key_reused' },
  { status: 429, code: 'rate_limited' },
  { status: 503, code: 'unavailable' },
];

function planFaults(planning: Planning): PlannedEvent[] {
  const { random } = planning;
  const places = [...faultPoints, 'any' as const].flatMap((on) => faultKinds.map((kind) => ({ on, kind })));
  const next = createDeck(random, places);
  return momentsOf(planning, 500, 3_000).map((atMs) => ({
    atMs,
    kind: 'fault',
    fault: {
      ...next(),
      times: 1 + random.below(3),
      // From what nobody notices to what outlasts every deadline.
      delay_ms: pick(random, [20, 300, 1_500, 6_000]),
      ...pick(random, rejections),
      // A cent is within what a rate may do, five are a case for a person.
      micro_usdc: pick(random, [-mostTakenBesides, -10_000, -1, 1, 10_000, mostTakenBesides]),
    },
  }));
}

/** The bank's rate is off now and then, by what nobody notices: the float makes up for it. */
function planDrift(planning: Planning): PlannedEvent[] {
  const { random } = planning;
  const fault = { on: 'transfer.create', kind: 'take_different', delay_ms: 0, status: 400, code: 'none' } as const;
  return momentsOf(planning, 1_000, 4_000).map((atMs) => ({
    atMs,
    kind: 'fault',
    fault: { ...fault, times: 1 + random.below(5), micro_usdc: pick(random, [-10_000, 10_000, mostTakenBesides]) },
  }));
}

function planDebts(planning: Planning): PlannedEvent[] {
  return momentsOf(planning, 8_000, 16_000).flatMap((atMs): PlannedEvent[] => [
    { atMs, kind: 'deposit', act: 'top_up' },
    { atMs: atMs + 6_000 + planning.random.below(8_000), kind: 'deposit', act: 'take_back' },
  ]);
}

function planWebhooks(planning: Planning): Extract<PlannedEvent, { kind: 'webhooks' }>[] {
  const next = createDeck(planning.random, webhookModes);
  return momentsOf(planning, 3_000, 10_000).map((atMs) => ({ atMs, kind: 'webhooks', mode: next() }));
}

function planOrder({ random, partners, keyPrefix, leastPounds }: Planning, number: number): Order {
  const poor = number === 0 || random.below(20) === 0;
  return {
    partner: poor ? 0 : 1 + random.below(partners - 1),
    key: `${keyPrefix}-${number}`,
    // The first one takes nearly all that the poor partner has.
    pounds: number === 0 ? '7830.00' : poundsOf(random, leastPounds),
    // Few enough that many are known already; one that ends in 0000 is refused by the bank.
    account: random.below(50) === 0 ? '12340000' : `7${String(random.below(300)).padStart(6, '0')}1`,
    believes502: number % 4 === 3,
  };
}

function poundsOf(random: Random, least: number): string {
  return `${least + random.below(4)}.${String(random.below(100)).padStart(2, '0')}`;
}

/** At the same moment, or some time later. */
function later(random: Random, atMs: number): number {
  return random.below(2) === 0 ? atMs : atMs + random.below(8_000);
}

function planRepeats({ random }: Planning, order: Order, atMs: number): PlannedEvent[] {
  const events: PlannedEvent[] = [];
  if (random.below(10) === 0) {
    const times = pick(random, [1, 1, 1, 4]);
    const at = later(random, atMs);
    for (let time = 0; time < times; time += 1) events.push({ atMs: at, kind: 'repeat', order });
  }
  if (random.below(30) === 0) {
    events.push({ atMs: later(random, atMs), kind: 'reuse', order: { ...order, pounds: otherPounds } });
  }
  return events;
}

/** What a bank does to a transfer besides paying it. Most must come before it has arrived. */
function planTransfer({ random }: Planning, order: Order, createdMs: number): PlannedEvent[] {
  const atMs = createdMs + 300 + random.below(2_500);
  const afterwards = atMs + 500 + random.below(8_000);
  const act = (at: number, name: TransferAct, body: object = {}): PlannedEvent => ({
    atMs: at,
    kind: 'act',
    act: name,
    order,
    body,
  });
  const back = pick(random, [{}, {}, { refund_micro_usdc: 1_500_000 }]);
  const chance = random.below(100);
  if (chance < 3) {
    const state = pick(random, ['awaiting_funds', 'in_review']);
    return [act(atMs, 'hold', { state }), act(afterwards, 'release')];
  }
  if (chance < 7) return [act(pick(random, [atMs, afterwards]), 'return', back)];
  if (chance < 10) {
    // Some of that money never comes back.
    const refund = random.below(4) === 0 ? [] : [act(afterwards, 'refund', back)];
    return [act(atMs, 'fail'), ...refund];
  }
  if (chance < 13) return [{ atMs, kind: 'cancel', order }];
  if (chance < 15) return [act(atMs, 'forget'), act(afterwards, 'remember')];
  return [];
}

function planOrders(planning: Planning, seconds: number): PlannedEvent[] {
  const { payoutsASecond: rate } = planning;
  return Array.from({ length: Math.ceil(seconds) * rate }, (_, number) => {
    const order = planOrder(planning, number);
    const atMs = Math.floor(number / rate) * 1_000 + planning.random.below(1_000);
    const created: PlannedEvent = { atMs, kind: 'create', order };
    return [created, ...planRepeats(planning, order, atMs), ...planTransfer(planning, order, atMs)];
  }).flat();
}

/**
 * A payout that has arrived is not asked about again: only a webhook can tell that it came back. Without one that is for
 * the reconciliation with the bank's statement to find, so nothing is returned while webhooks are lost.
 */
function withoutUnreportedReturns(events: readonly PlannedEvent[]): PlannedEvent[] {
  let lost = false;
  return events.filter((event) => {
    if (event.kind === 'webhooks') lost = event.mode === 'lose';
    return !(lost && event.kind === 'act' && event.act === 'return');
  });
}

function inOrder(events: readonly PlannedEvent[], lengthMs: number): PlannedEvent[] {
  return events.filter(({ atMs }) => atMs < lengthMs).toSorted((one, other) => one.atMs - other.atMs);
}

/** What partners and the bank do on their own account; what goes wrong meanwhile is another's to decide. */
export function planTraffic(
  wanted: Pick<Planning, 'partners' | 'payoutsASecond' | 'keyPrefix' | 'leastPounds'> & {
    seed: number;
    seconds: number;
  },
): PlannedEvent[] {
  const lengthMs = Math.ceil(wanted.seconds) * 1_000;
  return inOrder(planOrders({ ...wanted, random: randomFrom(wanted.seed), lengthMs }, wanted.seconds), lengthMs);
}

export function planPayouts({ seed, seconds }: { seed: number; seconds: number }): PayoutsPlan {
  const lengthMs = Math.ceil(seconds) * 1_000;
  const partners = Math.max(fewestPartners, 1 + Math.ceil((seconds * payoutsASecond) / payoutsAWallet));
  const planning = {
    random: randomFrom(seed),
    lengthMs,
    partners,
    payoutsASecond,
    keyPrefix: 'payout',
    leastPounds: 1,
  };
  const all = [
    ...planWebhooks(planning),
    ...planKills(planning),
    ...planFaults(planning),
    ...planOrders(planning, seconds),
    ...planDebts(planning),
    ...planDrift(planning),
  ];
  const events = withoutUnreportedReturns(inOrder(all, lengthMs));
  const digest = createHash('sha256').update(JSON.stringify({ partners, events })).digest('hex').slice(0, 16);
  return { partners, events, digest };
}
