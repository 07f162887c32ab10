import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { textAt } from '@kelpie/dev/json.ts';
import { callWire } from '@kelpie/sandbox-bank/test/customer.ts';
import { bankOf, createPayout, payoutBody } from '../harness/client.ts';
import { assertAllHolds } from '../harness/invariants.ts';
import { untilQuiet } from '../harness/waits.ts';
import { startWorld } from '../harness/world.ts';

// A recipient that the bank refuses frees the key: whoever corrects the details can go on with it.

const world = await startWorld();
const client = { url: world.api.url, key: world.partner.key };

const closed = payoutBody({}, bankOf('11112222'));

async function closeAccount(): Promise<void> {
  const { payments } = await world.bank.record();
  const { json } = await callWire(world.bank, `/transfers/${payments[0]?.transfer_id ?? ''}`);
  await world.bank.control(`/external_accounts/${textAt(json, 'destination.external_account_id')}/deactivate`);
}

test('a key that is freed after the bank refused an order under it pays the corrected order at once', async () => {
  const first = await createPayout(client, closed);
  await untilQuiet(world.database);
  await closeAccount();
  const key = randomUUID();
  // The bank refuses the order, and remembers that it did; then it refuses the recipient.
  assert.equal((await createPayout(client, closed, key)).status, 502);
  const refused = await createPayout(client, closed, key);
  assert.deepEqual([refused.status, refused.code], [422, 'recipient_account_rejected']);
  const corrected = await createPayout(client, payoutBody({}, bankOf('33334444')), key);
  assert.deepEqual([corrected.status, corrected.payout], [201, 'processing'], corrected.text);
  await untilQuiet(world.database);
  await assertAllHolds({ ...world, acknowledged: [first.id, corrected.id] });
});

test('whoever waits for a recipient that the bank then refuses is told the same as the first', async () => {
  await world.bank.control('/faults', {
    on: 'external_account.create',
    kind: 'delay_reply',
    delay_ms: 1_000,
    times: 1,
  });
  const key = randomUUID();
  const answers = await Promise.all([1, 2, 3].map(async () => createPayout(client, closed, key)));
  const reported = answers.map(({ status, code }) => `${status} ${code}`);
  assert.deepEqual([...new Set(reported)], ['422 recipient_account_rejected']);
  await assertAllHolds(world);
});
