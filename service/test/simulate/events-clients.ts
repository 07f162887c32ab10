import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { bankOf, createPayout, payoutBody, type ApiAnswer } from '../harness/client.ts';
import type { TestPartner } from '../harness/partners.ts';
import type { EventsCast } from './events-cast.ts';
import type { Random } from './random.ts';
import type { Tally } from './tally.ts';

export interface EventsClients {
  cast: EventsCast;
  random: Random;
  tally: Tally;
  violations: string[];
  /** Payouts that a caller knows of. */
  acknowledged: Set<string>;
}

const lanes = 12;
const pauseMs = 250;
/** A minute or more: an api that was killed is back by then, on a busy machine too. */
const mostTries = 240;
const askAgain = new Set(['idempotency_key_in_use', 'payout_not_created', 'unavailable']);

function pick<Item>(random: Random, items: readonly Item[]): Item {
  const item = items[random.below(items.length)];
  if (item === undefined) throw new Error('there is nothing to pick from');
  return item;
}

/** The sandbox bank has one in five: it takes more of the machine. */
function pickPartner(random: Random, [shop, market, bank]: readonly TestPartner[]): TestPartner {
  const drawn = random.below(5);
  const partner = drawn < 2 ? shop : drawn < 4 ? market : bank;
  if (partner === undefined) throw new Error('there are three partners');
  return partner;
}

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

/** Asks with the same key, each time at another api, until an answer says what became of it. */
async function payOnce({ cast, random, tally, violations, acknowledged }: EventsClients): Promise<void> {
  const { key, walletId } = pickPartner(random, cast.partners);
  const idempotencyKey = randomUUID();
  // The simulated rail fails what goes to an account that ends in 0000.
  const fails = walletId === '' && random.below(25) === 0;
  const body = payoutBody({}, fails ? bankOf('77310000') : {});
  for (let tries = 0; tries < mostTries; tries += 1) {
    const url = pick(random, cast.urls);
    const answer = await answerOf(createPayout({ url, key }, body, idempotencyKey));
    if (answer !== null && !askAgain.has(answer.code)) {
      tally.add(`answers_${answer.status}${answer.code === '' ? '' : `_${answer.code}`}`);
      if (answer.code === '') acknowledged.add(answer.id);
      else if (!fails || answer.code !== 'recipient_account_rejected')
        violations.push(`${idempotencyKey} was answered ${answer.status} ${answer.code}`);
      return;
    }
    tally.add(answer === null ? 'broken_connections' : `answers_${answer.status}_${answer.code}`);
    await wait(pauseMs + random.below(pauseMs));
  }
  violations.push(`no answer says what became of ${idempotencyKey}`);
}

/** Creates so many payouts, no faster than so many a second. */
export async function createAll(
  clients: EventsClients,
  { payouts, perSecond }: { payouts: number; perSecond: number },
): Promise<void> {
  const startedAt = performance.now();
  let next = 0;
  const playLane = async (): Promise<void> => {
    while (next < payouts) {
      const earlyMs = startedAt + (next * 1_000) / perSecond - performance.now();
      next += 1;
      if (earlyMs > 0) await wait(earlyMs);
      await payOnce(clients);
    }
  };
  await Promise.all(Array.from({ length: lanes }, playLane));
}
