import { setTimeout as wait } from 'node:timers/promises';
import { sendPounds, sendUsdc } from '@kelpie/sandbox-bank/test/topping-up.ts';
import type { Places } from '../funding/topping-up.ts';
import { addKey, type TestPartner } from '../harness/partners.ts';
import type { World } from '../harness/world.ts';
import { createLane } from '../simulate/lane.ts';
import { createRestlessBank, type RestlessBank } from '../simulate/payouts-bank.ts';
import { createClients, type Attempt, type Clients } from '../simulate/payouts-clients.ts';
import { planTraffic, type Order, type PlannedEvent } from '../simulate/payouts-plan.ts';
import { randomFrom } from '../simulate/random.ts';
import { createTally, type Tally } from '../simulate/tally.ts';
import { createOperators, type Operators } from './operators.ts';

/**
 * In the spirit of Jepsen's bank test: clients that create, repeat and cancel payouts, a bank that returns some of them,
 * deposits and operators, all from one seed. Money only moves; the judge then looks for any that appeared or vanished.
 */
export interface BankTest {
  /** Requests that were answered, or whose connection broke, in the order of their ends. */
  attempts: readonly Attempt[];
  /** The payouts that callers were told of, by their keys. */
  reported: Clients['reported'];
  tally: Tally;
  /** Answers that the API has no reason for. */
  violations: string[];
  /** How many payouts were acknowledged. */
  acknowledged(): number;
  /** Every caller that was told of a payout asks for it again, with the same key and body. */
  repeatAll(): void;
  /** No new orders. Everything works again, every block is lifted, and every caller gets its answer. */
  finish(): Promise<void>;
}

export interface BankTestDeps {
  world: World;
  /** The api processes. Each try goes to the next one. */
  urls: readonly string[];
  /** Who asks. The first one has too little money. */
  clients: readonly TestPartner[];
  seed: number;
  payoutsASecond: number;
  /** What its idempotency keys begin with. */
  keyPrefix: string;
  /** It ends by itself after so long. */
  longestSeconds: number;
  /** Where deposits arrive; without any there are none. */
  places: readonly Places[];
  /** Whom operators suspend and pause for a moment; without any they do nothing. */
  toBlock: readonly TestPartner[];
  /** All callers take a 502 at its word, not only some. */
  believe502?: boolean;
}

const clientsInAll = 50;

/** Clients share partners, so that they compete for wallets. The first has a partner of its own, with too little money. */
export async function createBankClients(world: World, partners: readonly TestPartner[]): Promise<TestPartner[]> {
  const [poor, ...others] = partners;
  if (poor === undefined || others.length === 0) throw new Error('at least two partners are needed');
  const clients = [poor, ...others];
  while (clients.length < clientsInAll) {
    const partner = others[clients.length % others.length];
    if (partner !== undefined) clients.push({ ...partner, ...(await addKey(world.database, partner)) });
  }
  return clients;
}

const blocked = new Set(['partner_not_active']);
const depositEveryMs = 2_000;
const operatorEveryMs = 7_000;

interface Performers {
  clients: Clients;
  bank: RestlessBank;
  asked: Map<string, Order>;
  believe502: boolean;
}

function perform({ clients, bank, asked, believe502 }: Performers, event: PlannedEvent): void {
  switch (event.kind) {
    case 'create':
    case 'repeat':
    case 'reuse': {
      const order = { ...event.order, believes502: believe502 || event.order.believes502 };
      if (event.kind === 'create') asked.set(order.key, order);
      return clients.ask(order);
    }
    case 'cancel': {
      const { order } = event;
      return bank.act({ act: 'hold', order, body: { state: 'awaiting_funds' } }, () => clients.cancel(order));
    }
    case 'act':
      return bank.act(event);
    case 'deposit':
    case 'fault':
    case 'webhooks':
    case 'kill':
      throw new Error('traffic has no faults of its own');
  }
}

async function performUntilStopped(
  performers: Performers,
  events: readonly PlannedEvent[],
  stop: AbortSignal,
): Promise<void> {
  const startedAt = performance.now();
  for (const event of events) {
    const earlyMs = startedAt + event.atMs - performance.now();
    if (earlyMs > 0) await wait(earlyMs, undefined, { signal: stop }).catch(() => undefined);
    if (stop.aborted) return;
    perform(performers, event);
  }
}

/** Deposits by both ways, one after the other. */
function startDeposits({ world, places, seed }: BankTestDeps, tally: Tally): { finish(): Promise<void> } {
  const random = randomFrom(seed + 1);
  const lane = createLane();
  const send = async (): Promise<void> => {
    const place = places[random.below(places.length)];
    if (place === undefined) return;
    const amount = `${10 + random.below(90)}.${String(random.below(100)).padStart(2, '0')}`;
    if (random.below(2) === 0) await sendUsdc(world.bank, place.addressId, amount);
    else await sendPounds(world.bank, place.accountId, amount);
    tally.add('deposits');
  };
  const timer = setInterval(() => lane.add(send), depositEveryMs);
  return {
    async finish() {
      clearInterval(timer);
      await lane.finish();
    },
  };
}

function startOperators({ world, toBlock, seed }: BankTestDeps, tally: Tally): Operators {
  const operators = createOperators({ database: world.database, tally });
  const random = randomFrom(seed + 2);
  const timer = setInterval(() => {
    const partner = toBlock[random.below(toBlock.length)];
    if (partner !== undefined) operators.blockForAMoment(partner, random.below(2) === 0 ? 'suspend' : 'pause');
  }, operatorEveryMs);
  return {
    ...operators,
    async finish() {
      clearInterval(timer);
      await operators.finish();
    },
  };
}

export function startBankTest(deps: BankTestDeps): BankTest {
  const { world, urls, clients: partners, seed, payoutsASecond, keyPrefix, believe502 = false } = deps;
  const tally = createTally();
  const violations: string[] = [];
  const attempts: Attempt[] = [];
  let acknowledged = 0;
  const onAttempt = (attempt: Attempt): void => {
    attempts.push(attempt);
    if (isAcknowledged(attempt)) acknowledged += 1;
  };
  const clients = createClients({ partners, urls, tally, violations, onAttempt, alsoAskAgain: blocked });
  const bank = createRestlessBank({ bank: world.bank, partners: partners, addressId: null, tally: tally });
  const asked = new Map<string, Order>();
  const stopping = new AbortController();
  const events = planTraffic({
    seed,
    seconds: deps.longestSeconds,
    partners: partners.length,
    payoutsASecond,
    keyPrefix,
    leastPounds: partners.some(({ environment }) => environment === 'live') ? 3 : 1,
  });
  const performing = performUntilStopped({ clients, bank, asked, believe502 }, events, stopping.signal);
  const deposits = startDeposits(deps, tally);
  const operators = startOperators(deps, tally);
  return {
    attempts,
    reported: clients.reported,
    tally,
    violations,
    acknowledged: () => acknowledged,
    repeatAll() {
      for (const [key, order] of asked) if (clients.reported.has(key)) clients.ask(order);
    },
    async finish() {
      stopping.abort();
      await performing;
      await Promise.all([deposits.finish(), operators.finish()]);
      await bank.heal();
      await clients.finish();
    },
  };
}

export function isAcknowledged({ what, status }: Attempt): boolean {
  return what === 'create' && (status === 200 || status === 201);
}
