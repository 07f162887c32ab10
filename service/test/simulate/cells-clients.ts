import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { call, createPayout, payoutBody, type ApiAnswer } from '../harness/client.ts';
import type { TestPartner } from '../harness/partners.ts';
import type { CellsCast } from './cells-cast.ts';
import type { Random } from './random.ts';
import type { Tally } from './tally.ts';

export interface CellsClients {
  cast: CellsCast;
  random: Random;
  tally: Tally;
  violations: string[];
  /** By partner: the keys that were answered, with the payout of each. */
  acknowledged: Map<string, Map<string, string>>;
  slowestMs: number;
}

const mostTries = 120;
/** What a caller repeats under the same key, as the docs for partners say. */
const askAgain = new Set(['idempotency_key_in_use', 'payout_not_created', 'unavailable']);

/** Null where the connection broke: that is no answer. */
async function answerOf(asked: Promise<ApiAnswer>): Promise<ApiAnswer | null> {
  try {
    return await asked;
  } catch (error) {
    const isBroken = error instanceof TypeError || (error instanceof DOMException && error.name === 'TimeoutError');
    if (isBroken) return null;
    throw error;
  }
}

export function routerFor({ cast, random }: CellsClients): string {
  return cast.routers[random.below(cast.routers.length)] ?? '';
}

/** Asks with one key, at either router, until an answer says what became of it. */
async function payOnce(clients: CellsClients, { partnerId, key }: TestPartner): Promise<void> {
  const { tally, violations, acknowledged, random } = clients;
  const idempotencyKey = randomUUID();
  for (let tries = 0; tries < mostTries; tries += 1) {
    const begunAt = performance.now();
    const answer = await answerOf(createPayout({ url: routerFor(clients), key }, payoutBody(), idempotencyKey));
    clients.slowestMs = Math.max(clients.slowestMs, Math.round(performance.now() - begunAt));
    if (answer !== null && !askAgain.has(answer.code)) {
      tally.add(`answers_${answer.status}${answer.code === '' ? '' : `_${answer.code}`}`);
      const known = acknowledged.get(partnerId) ?? new Map<string, string>();
      acknowledged.set(partnerId, known);
      if (answer.code === '') known.set(idempotencyKey, answer.id);
      else violations.push(`${idempotencyKey} was answered ${answer.status} ${answer.code}`);
      return;
    }
    tally.add(answer === null ? 'broken_connections' : `answers_${answer.status}_${answer.code}`);
    const seconds = Number(answer?.headers.get('retry-after') ?? '0');
    await wait(Math.min(seconds * 1_000, 1_000) + 50 + random.below(200));
  }
  violations.push(`no answer says what became of ${idempotencyKey}`);
}

const lanes = 24;
/** Before the first move, with which a copy takes a moment; the rest follows. */
const mostPaidFirst = 100;
const paidByOthers = 20;
/** Told to the person who watches. */
const paidInOneGo = 2_000;

async function payEach(clients: CellsClients, partner: TestPartner, payouts: number): Promise<void> {
  let left = payouts;
  const playLane = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await payOnce(clients, partner);
    }
  };
  await Promise.all(Array.from({ length: lanes }, playLane));
}

/** What the partners have when the first move begins. */
export async function payFirst(clients: CellsClients, payouts: number): Promise<void> {
  const { moved, small, resident } = clients.cast;
  await payEach(clients, small, Math.min(paidByOthers, payouts));
  await payEach(clients, resident, Math.min(paidByOthers, payouts));
  await payEach(clients, moved, Math.min(mostPaidFirst, payouts));
}

/** Pays what is missing to so many payouts, each through the api and at the bank. */
export async function completeHistory(
  clients: CellsClients,
  payouts: number,
  say: (text: string) => void,
): Promise<void> {
  const { moved } = clients.cast;
  const count = (): number => clients.acknowledged.get(moved.partnerId)?.size ?? 0;
  const startedAt = performance.now();
  while (count() < payouts && clients.violations.length === 0) {
    await payEach(clients, moved, Math.min(payouts - count(), paidInOneGo));
    say(`${count()} payouts after ${Math.round((performance.now() - startedAt) / 1_000)} s`);
  }
}

const payoutsPerSecond = 20;

interface Load {
  stop(): Promise<void>;
}

/** So many payouts a second of the partner that is moved, however long each takes; one more a second of each other partner. */
export function startLoad(clients: CellsClients): Load {
  const stopping = new AbortController();
  const { moved, small, resident } = clients.cast;
  const startedAt = performance.now();
  const underWay = new Set<Promise<void>>();
  const begin = (partner: TestPartner): void => {
    const paying = payOnce(clients, partner)
      .catch((error: unknown) => void clients.violations.push(`a caller failed: ${String(error)}`))
      .finally(() => underWay.delete(paying));
    underWay.add(paying);
  };
  const run = async (): Promise<void> => {
    for (let nth = 0; !stopping.signal.aborted; nth += 1) {
      begin(moved);
      if (nth % payoutsPerSecond === 0) for (const other of [small, resident]) begin(other);
      const earlyMs = startedAt + ((nth + 1) * 1_000) / payoutsPerSecond - performance.now();
      if (earlyMs > 0) await wait(earlyMs);
    }
  };
  const running = run();
  return {
    async stop() {
      stopping.abort();
      await running;
      await Promise.all(underWay);
    },
  };
}

const mostReplays = 1_000;

/** The same key once more is the same payout, wherever the partner lives. */
export async function replayKeys(clients: CellsClients, { partnerId, key }: TestPartner): Promise<number> {
  const { violations, acknowledged, random } = clients;
  const known = [...(acknowledged.get(partnerId) ?? new Map<string, string>())];
  const entries = Array.from({ length: Math.min(known.length, mostReplays) }, () => known[random.below(known.length)]);
  let replayed = 0;
  const playLane = async (): Promise<void> => {
    for (let next = entries.pop(); next !== undefined; next = entries.pop()) {
      const [idempotencyKey, id] = next;
      const answer = await createPayout({ url: routerFor(clients), key }, payoutBody(), idempotencyKey);
      replayed += 1;
      if (answer.status !== 200 || answer.id !== id)
        violations.push(
          `${idempotencyKey} was ${id}, and is now answered ${answer.status} ${answer.code} ${answer.id}`,
        );
    }
  };
  await Promise.all(Array.from({ length: lanes }, playLane));
  return replayed;
}

/** The page of the partner and its person's session lead to its cell too. */
export async function checkOtherAddresses(clients: CellsClients, slug: string): Promise<void> {
  const { violations, cast } = clients;
  const page = await call({ url: routerFor(clients), key: null }, `/v1/public/partners/${slug}`);
  if (page.status !== 200) violations.push(`the page of the partner was answered ${page.status}`);
  const { cookie, partnerId } = cast.person;
  const headers = { cookie, 'sec-fetch-site': 'same-origin', 'kelpie-account': partnerId };
  const account = await call({ url: routerFor(clients), key: null }, '/v1/account', { headers });
  if (account.status !== 200) violations.push(`the session was answered ${account.status} ${account.code}`);
}
