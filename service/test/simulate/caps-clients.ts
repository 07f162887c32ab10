import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { listAt, textAt } from '@kelpie/dev/json.ts';
import { orderIdOf } from '../../src/payouts/model/order.ts';
import { dayOf } from '../../src/platform/london-day.ts';
import { bankOf, cancelPayout, createPayout, payoutBody, type ApiAnswer } from '../harness/client.ts';
import { penceOf } from '../harness/limited-payouts.ts';
import type { CappedPartner, CapsCast } from './caps-cast.ts';
import type { RefusedRequest } from './caps-model.ts';
import type { Random } from './random.ts';
import type { Tally } from './tally.ts';

/** How many ask at the same time, each for one payout after the other. */
export const lanes = 200;

const accounts = 12;
const pauseMs = 150;
/** Some minutes in bad times. */
const mostTries = 200;

export interface CapsClients {
  cast: CapsCast;
  random: Random;
  tally: Tally;
  violations: string[];
  /** Payouts that a caller knows of. */
  acknowledged: Set<string>;
  /** Transfers that the bank keeps back. */
  kept: Set<string>;
}

interface Order {
  partner: CappedPartner;
  key: { key: string; keyId: string };
  idempotencyKey: string;
  pounds: string;
  account: string;
}

function pick<Item>(random: Random, items: readonly Item[]): Item {
  const item = items[random.below(items.length)];
  if (item === undefined) throw new Error('there is nothing to pick from');
  return item;
}

/** Most are small, some as large as a payout can be. */
function poundsOf(random: Random): string {
  const [least, most] = pick(random, [
    [3, 300] as const,
    [300, 4_000] as const,
    [3, 60] as const,
    [4_000, 20_000] as const,
  ]);
  return `${least + random.below(most - least)}.${String(random.below(100)).padStart(2, '0')}`;
}

function newOrder({ cast: { partners }, random }: CapsClients): Order {
  const partner = pick(random, partners);
  const idempotencyKey = randomUUID();
  const account = `7731${String(1_000 + random.below(accounts))}`;
  partner.accountOf.set(idempotencyKey, account);
  return { partner, key: pick(random, partner.keys), idempotencyKey, pounds: poundsOf(random), account };
}

/** Null where the connection broke: that is no answer. */
async function answerOf(asked: Promise<ApiAnswer>): Promise<ApiAnswer | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof SyntaxError) throw error;
    return null;
  }
}

function reportedBy({ json }: ApiAnswer): RefusedRequest['reported'] {
  const limit = textAt(json, 'error.details.limit');
  if (limit !== 'daily' && limit !== 'key' && limit !== 'new_payee') throw new Error(`a limit called ${limit}`);
  const limitPence = penceOf(textAt(json, 'error.details.limit_gbp'));
  return { limit, limitPence, leftPence: penceOf(textAt(json, 'error.details.left_gbp')) };
}

/** One try, with what the wallet and the clock showed before and after it. */
async function ask({ cast, random }: CapsClients, order: Order) {
  const { partner, key, idempotencyKey, pounds, account } = order;
  const api = pick(random, cast.apis);
  const [before, from] = [cast.now(), cast.versions.known(partner)];
  const body = payoutBody({ amount_gbp: pounds }, bankOf(account));
  const answer = await answerOf(createPayout({ url: api.url, key: key.key }, body, idempotencyKey));
  const days = [...new Set([dayOf(before), dayOf(cast.now())])];
  return { answer, days, versions: [from, await cast.versions.read(partner)] as const };
}

/** Whether the answer settles it. */
function settle(
  clients: CapsClients,
  order: Order,
  { answer, days, versions }: Awaited<ReturnType<typeof ask>>,
): boolean {
  const { tally, violations, acknowledged, random } = clients;
  if (answer === null) {
    tally.add('broken_connections');
    return false;
  }
  const { status, code, id } = answer;
  tally.add(`answers_${status}${code === '' ? '' : `_${code}`}`);
  const refused = { pence: penceOf(order.pounds), keyId: order.key.keyId, account: order.account, days, versions };
  switch (code) {
    case '':
      if (acknowledged.size === acknowledged.add(id).size && status === 201)
        violations.push(`payout ${id} was created twice`);
      return true;
    case 'limit_exceeded':
      order.partner.refusals.push({ ...refused, reported: reportedBy(answer) });
      return true;
    case 'insufficient_funds':
      order.partner.refusals.push({ ...refused, reported: null });
      if (order.partner.name !== 'poor') violations.push(`${order.partner.name} has funds, and was answered 402`);
      return true;
    case 'payout_not_created':
      // Most partners give up; some try the same order again, in its next round.
      return random.below(4) > 0;
    case 'idempotency_key_in_use':
    case 'unavailable':
      return false;
    default:
      violations.push(`${order.idempotencyKey} was answered ${status} ${code}`);
      return status < 500;
  }
}

async function playOrder(clients: CapsClients): Promise<void> {
  const order = newOrder(clients);
  for (let tries = 0; tries < mostTries; tries += 1) {
    const asked = await ask(clients, order);
    if (settle(clients, order, asked)) {
      if (asked.answer?.status === 201 && clients.random.below(10) === 0) await cancel(clients, order, asked.answer.id);
      return;
    }
    await wait(pauseMs + clients.random.below(pauseMs));
  }
  clients.violations.push(`no answer says what became of ${order.idempotencyKey}`);
}

/** The bank keeps it back, so that it can still stop it: what it cancels was never sent. */
async function keepBack({ cast: { world }, kept }: CapsClients, { partner, idempotencyKey }: Order): Promise<void> {
  const record = await world.bank.control(`GET /record?client_reference_id=${orderIdOf(partner, idempotencyKey)}`);
  const [payment] = listAt(record, 'payments');
  if (payment === undefined) return;
  const transfer = `/transfers/${textAt(payment, 'transfer_id')}`;
  kept.add(transfer);
  // One that has arrived meanwhile does not go back to waiting.
  await world.bank.control(`${transfer}/hold`, { state: 'awaiting_funds' }).catch(() => undefined);
}

const cancelTries = 5;

async function cancel(clients: CapsClients, order: Order, id: string): Promise<void> {
  const { cast, random, tally } = clients;
  if (order.partner.environment === 'live') await keepBack(clients, order);
  for (let tries = 0; tries < cancelTries; tries += 1) {
    const answer = await answerOf(cancelPayout({ url: pick(random, cast.apis).url, key: order.key.key }, id));
    if (answer !== null) return tally.add(answer.status === 200 ? 'cancelled' : 'not_cancelled');
    await wait(pauseMs);
  }
}

/** What was kept back and not cancelled goes on. */
export async function releaseAll({ cast: { world }, kept }: CapsClients): Promise<void> {
  for (const transfer of kept) await world.bank.control(`${transfer}/release`, {}).catch(() => undefined);
}

/** Asks for one payout after the other until the time is over. */
export async function playLane(clients: CapsClients, until: number): Promise<void> {
  while (performance.now() < until) {
    try {
      await playOrder(clients);
    } catch (error) {
      clients.violations.push(`a client stumbled: ${String(error)}`);
      return;
    }
  }
}
