import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { listAt } from '@kelpie/dev/json.ts';
import { createPayout, payoutBody } from '../harness/client.ts';
import { createTestDatabase } from '../harness/database.ts';
import { createSimulatedPartner } from '../harness/partners.ts';
import { callAs, signIn } from '../harness/people.ts';
import { startApi } from '../harness/processes.ts';

const database = await createTestDatabase();
const { url } = await startApi({ database });

test('a payout by a session that does not say from which account is not made; one that says so is', async () => {
  const partner = await createSimulatedPartner(database);
  const { cookie } = await signIn(database, partner, { url });
  const pay = async (headers: Record<string, string>) =>
    callAs({ url, cookie }, '/v1/payouts?environment=sandbox', {
      method: 'POST',
      body: payoutBody(),
      headers: { 'idempotency-key': randomUUID(), ...headers },
    });
  const unnamed = await pay({});
  assert.deepEqual([unnamed.status, unnamed.code], [422, 'invalid_request'], unnamed.text);
  assert.match(unnamed.text, /Kelpie-Account/);
  assert.deepEqual(listAt((await callAs({ url, cookie }, '/v1/payouts')).json, 'data'), []);
  assert.equal((await pay({ 'kelpie-account': partner.partnerId })).status, 201);
});

test('an API key is of one account for good: it names none', async () => {
  const { key } = await createSimulatedPartner(database);
  assert.equal((await createPayout({ url, key })).status, 201);
});
