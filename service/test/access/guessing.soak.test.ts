import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { createTestDatabase } from '../harness/database.ts';
import { createSimulatedPartner } from '../harness/partners.ts';
import { defaultLimits, startApi } from '../harness/processes.ts';
import { addMembers, giveCode, newAddress, plantCodes } from '../harness/sign-in.ts';
import { activityOf } from '../activity/recorded-activity.ts';

// Somebody with many addresses of the network, which no limit by network stops, guesses at codes.

const database = await createTestDatabase();
const env = { KELPIE_TRUSTED_PROXIES: '127.0.0.1' };
const [api, second] = await Promise.all([
  startApi({ database, env: { ...defaultLimits, ...env } }),
  startApi({ database, env: { ...defaultLimits, ...env } }),
]);
const partner = await createSimulatedPartner(database);

async function addMember(): Promise<string> {
  const email = newAddress();
  await addMembers(database, partner.partnerId, [email]);
  return email;
}

const asDigits = (number: number): string => number.toString().padStart(6, '0');
const anyNetwork = (): string => [10, randomInt(256), randomInt(256), randomInt(256)].join('.');

async function guess(email: string, code: string): Promise<number> {
  const { url } = randomInt(2) === 0 ? api : second;
  const { status, code: said } = await giveCode(url, { email, code }, { headers: { 'x-forwarded-for': anyNetwork() } });
  assert(status === 200 || said === 'invalid_code', `${status} ${said}`);
  return status;
}

/** Each guess that was held against a code is noted for the partner; what was not looked at is not. */
async function countJudged(email: string): Promise<number> {
  const recorded = await activityOf(database, partner, 'login.verify');
  return recorded.filter(({ by, status }) => by === email && status === 401).length;
}

async function untilRecorded(): Promise<void> {
  // Who comes last is noted last, on each of the two.
  for (const { url } of [api, second]) {
    const email = await addMember();
    await plantCodes(database, [{ email, code: '000001' }]);
    await giveCode(url, { email, code: '000000' });
    await eventually('it is noted', async () => (await countJudged(email)) === 1);
  }
}

test('a code takes five tries, and the right one comes too late after them', async () => {
  const email = await addMember();
  await plantCodes(database, [{ email, code: '000005' }]);
  for (let number = 0; number < 5; number += 1) assert.equal(await guess(email, asDigits(number)), 401);
  assert.equal(await guess(email, '000005'), 401);
  await plantCodes(database, [{ email, code: '000006' }]);
  assert.equal(await guess(email, '000006'), 200);
});

test('faults 48: of a thousand guesses at an address from as many networks at once, ten are judged', async () => {
  const email = await addMember();
  for (let round = 0; round < 5; round += 1) {
    // As many codes as an hour has, each of which the guesses of its round would find.
    await plantCodes(database, [{ email, code: asDigits(round * 200 + 199) }]);
    for (let lot = 0; lot < 4; lot += 1) {
      const numbers = Array.from({ length: 50 }, (_, at) => round * 200 + lot * 50 + at);
      const answers = await Promise.all(numbers.map(async (number) => guess(email, asDigits(number))));
      assert.deepEqual(new Set(answers), new Set([401]));
    }
  }
  await untilRecorded();
  assert.equal(await countJudged(email), 10);
  await plantCodes(database, [{ email, code: '123456' }]);
  assert.equal(await guess(email, '123456'), 401, 'the day is over for this address');
});

test('ten codes at once do not make an eleventh guess', async () => {
  const emails = await Promise.all(Array.from({ length: 20 }, addMember));
  for (let round = 0; round < 4; round += 1) {
    await plantCodes(
      database,
      emails.map((email) => ({ email, code: '999999' })),
    );
    await Promise.all(
      emails.flatMap((email) => Array.from({ length: 6 }, async (_, at) => guess(email, asDigits(at)))),
    );
  }
  await untilRecorded();
  assert.deepEqual(
    await Promise.all(emails.map(countJudged)),
    emails.map(() => 10),
  );
});

test('who guesses all day gets in with a chance of ten in as many codes as there are', async () => {
  // A hundred codes in place of a million, so that it can be seen: a million makes it one in a hundred thousand.
  const space = 100;
  const addresses = 200;
  const emails = Array.from({ length: addresses }, newAddress);
  await addMembers(database, partner.partnerId, emails);
  const remaining = new Set(emails);
  for (let round = 0; round < 5; round += 1) {
    await plantCodes(
      database,
      emails.map((email) => ({ email, code: asDigits(randomInt(space)) })),
    );
    for (let tries = 0; tries < 6; tries += 1) {
      const guesses = [...remaining].map(async (email) => {
        if ((await guess(email, asDigits((round * 6 + tries) % space))) === 200) remaining.delete(email);
      });
      await Promise.all(guesses);
    }
  }
  const got = addresses - remaining.size;
  const expected = (addresses * 10) / space;
  const deviation = Math.sqrt(expected * (1 - 10 / space));
  assert(got > 0 && got < expected + 5 * deviation, `${got} of ${addresses} got in, where ${expected} are expected`);
});
