import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { call } from '../harness/client.ts';
import { createTestDatabase } from '../harness/database.ts';
import { createSimulatedPartner } from '../harness/partners.ts';
import { callAs, signIn } from '../harness/people.ts';
import { startApi } from '../harness/processes.ts';
import { activityOf } from '../activity/recorded-activity.ts';

const burst = 20;
const database = await createTestDatabase();
const limits = { KELPIE_REQUESTS_PER_SECOND: '1', KELPIE_REQUESTS_BURST: String(burst) };
const { url } = await startApi({ database, env: limits });

/** Sends more requests than the limit allows, one after the other. */
async function statusesOf(ask: () => Promise<{ status: number }>): Promise<number[]> {
  const statuses: number[] = [];
  for (let asked = 0; asked < 3 * burst; asked += 1) statuses.push((await ask()).status);
  return statuses;
}

/** A token comes back each second, so one of the next requests may still be served: not all of them. */
async function isUsedUp(ask: () => Promise<{ status: number }>): Promise<boolean> {
  for (let asked = 0; asked < 3; asked += 1) if ((await ask()).status === 429) return true;
  return false;
}

test("a viewer's forbidden requests use up their rate limit, and stay 403", async () => {
  const partner = await createSimulatedPartner(database);
  const viewer = await signIn(database, partner, { url, role: 'viewer' });
  const body = { environment: 'sandbox' };
  const statuses = await statusesOf(async () => callAs(viewer, '/v1/keys', { method: 'POST', body }));
  assert.deepEqual(new Set(statuses), new Set([403]));
  assert(await isUsedUp(async () => callAs(viewer, '/v1/account')));
  // Past the limit they are recorded as rarely as a 429 is.
  await eventually('they are recorded', async () => {
    const recorded = await activityOf(database, partner, 'key.create');
    return recorded.length >= burst && recorded.length < 2 * burst;
  });
});

test('asking for live before it exists, or from another site, uses up the limit too', async () => {
  for (const headers of [{}, { 'sec-fetch-site': 'cross-site' }]) {
    const viewer = await signIn(database, await createSimulatedPartner(database), { url, role: 'viewer' });
    const ask = async () => callAs(viewer, '/v1/account?environment=live', { headers });
    assert.deepEqual(new Set(await statusesOf(ask)), new Set([403]));
    assert(await isUsedUp(async () => callAs(viewer, '/v1/account')));
  }
});

test("a key's forbidden requests use up the limit of the key", async () => {
  const { key } = await createSimulatedPartner(database);
  assert.deepEqual(new Set(await statusesOf(async () => call({ url, key }, '/v1/members'))), new Set([403]));
  assert(await isUsedUp(async () => call({ url, key }, '/v1/account')));
});

test('requests with a good key to an unknown address use up the limit of the key', async () => {
  const { key } = await createSimulatedPartner(database);
  const statuses = await statusesOf(async () => call({ url, key }, '/v1/no-such-thing'));
  assert.deepEqual(new Set(statuses), new Set([404, 429]));
  assert(await isUsedUp(async () => call({ url, key }, '/v1/account')));
});
