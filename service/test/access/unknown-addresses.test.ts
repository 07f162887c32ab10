import assert from 'node:assert/strict';
import { randomBytes, randomInt } from 'node:crypto';
import { test } from 'node:test';
import { call, type ApiAnswer } from '../harness/client.ts';
import { createTestDatabase } from '../harness/database.ts';
import { createSimulatedPartner } from '../harness/partners.ts';
import { startApi } from '../harness/processes.ts';
import { addMembers, askCode, giveCode, newAddress } from '../harness/sign-in.ts';

// Whether an address is somebody's can't be told: not by what is answered, and not by how long it takes.

const database = await createTestDatabase();
const api = await startApi({ database });
const { partnerId } = await createSimulatedPartner(database);

const each = 300;
const known = Array.from({ length: each }, newAddress);
const unknown = Array.from({ length: each }, newAddress);
await addMembers(database, partnerId, known);

interface Timed {
  isKnown: boolean;
  ms: number;
  answer: ApiAnswer;
}

function shuffled<Item>(items: readonly Item[]): Item[] {
  const left = [...items];
  return items.flatMap(() => left.splice(randomInt(left.length), 1));
}

/** One after the other and in any order, so that what else the machine does falls on both alike. */
async function timeAll(ask: (email: string) => Promise<ApiAnswer>): Promise<Timed[]> {
  const timed: Timed[] = [];
  const all = [
    ...known.map((email) => ({ email, isKnown: true })),
    ...unknown.map((email) => ({ email, isKnown: false })),
  ];
  for (const { email, isKnown } of shuffled(all)) {
    const startedAt = performance.now();
    const answer = await ask(email);
    timed.push({ isKnown, ms: performance.now() - startedAt, answer });
  }
  return timed;
}

/** What differs from answer to answer, whoever asks. */
const ownHeaders = new Set(['date', 'request-id', 'ratelimit-remaining', 'ratelimit-reset']);

function lookOf({ status, text, headers }: ApiAnswer): string {
  const shown = [...headers].map(([name, value]) => (ownHeaders.has(name) ? name : `${name}: ${value}`));
  return JSON.stringify([status, text, shown]);
}

/** How often one of the first takes longer than one of the second: a half, where nothing tells them apart. */
function shareOfLonger(first: readonly number[], second: readonly number[]): number {
  const longer = first.reduce((sum, ms) => sum + second.filter((other) => ms > other).length, 0);
  return longer / (first.length * second.length);
}

function assertAlike(timed: readonly Timed[]): void {
  assert.equal(new Set(timed.map(({ answer }) => lookOf(answer))).size, 1, 'all look the same');
  const times = (ofKnown: boolean) => timed.filter(({ isKnown }) => isKnown === ofKnown).map(({ ms }) => ms);
  const share = shareOfLonger(times(true), times(false));
  // By chance alone it strays by 0.024 from a half (300 against 300): this is four times as much.
  assert(Math.abs(share - 0.5) < 0.1, `a known address takes longer in ${(share * 100).toFixed(1)} % of all pairs`);
}

test('faults 50: asking for a code says nothing about an address', async () => {
  assertAlike(await timeAll(async (email) => askCode(api.url, email)));
});

test('faults 50: a wrong code says nothing about an address', async () => {
  const timed = await timeAll(async (email) => giveCode(api.url, { email, code: '000000' }));
  // One in a million is right by chance.
  assertAlike(timed.filter(({ answer }) => answer.status !== 200));
});

async function signUp(email: string): Promise<ApiAnswer> {
  const body = { email, name: 'Example Ltd', slug: `s-${randomBytes(6).toString('hex')}` };
  return call({ url: api.url, key: null }, '/v1/signup', { method: 'POST', body });
}

test('faults 50: signing up says nothing about an address', async () => {
  assertAlike(await timeAll(signUp));
});

test('a wrong code for who never asked for one, and a code that is over, are answered as any wrong one', async () => {
  const [member = ''] = known;
  const answers = [
    await giveCode(api.url, { email: newAddress(), code: '123456' }),
    await giveCode(api.url, { email: member, code: '123456' }),
    await giveCode(api.url, { email: member, code: '123456', slug: 'no-such-partner' }),
  ];
  assert.equal(new Set(answers.map(lookOf)).size, 1);
});
