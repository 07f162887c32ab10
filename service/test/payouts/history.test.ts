import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listAt, optionalTextAt, textAt, valueAt } from '@kelpie/dev/json.ts';
import { bankOf, call, createPayout, payoutBody } from '../harness/client.ts';
import { createSimulatedPartner } from '../harness/partners.ts';
import { callAs, signIn } from '../harness/people.ts';
import { untilQuiet } from '../harness/waits.ts';
import { startWorld } from '../harness/world.ts';

// What a partner can read of how a payout came to where it is, and of its days.

const world = await startWorld();
const client = { url: world.api.url, key: world.partner.key };

async function historyOf(id: string): Promise<{ steps: string[][]; lines: string[][]; json: unknown }> {
  const { status, json, text } = await call(client, `/v1/payouts/${id}/history`);
  assert.equal(status, 200, text);
  return {
    json,
    steps: listAt(json, 'steps').map((step) => [textAt(step, 'status'), textAt(step, 'by')]),
    lines: listAt(json, 'ledger').map((line) => [
      textAt(line, 'account'),
      textAt(line, 'direction'),
      `${textAt(line, 'amount')} ${textAt(line, 'currency')}`,
      optionalTextAt(line, 'wallet_after_usdc') ?? '',
    ]),
  };
}

test('a payout tells each of its states with who, the parts of its fee, and what left the wallet', async () => {
  const made = await createPayout(client, payoutBody({ amount_gbp: '79.00' }));
  await untilQuiet(world.database);
  const { steps, lines, json } = await historyOf(made.id);
  const prefix = client.key.slice(0, 19);
  assert.deepEqual(steps, [
    ['processing', prefix],
    ['completed', 'bank'],
  ]);
  assert.equal(textAt(json, 'created_by'), prefix);
  assert.deepEqual(valueAt(json, 'fee_breakdown'), {
    taken_in_transfer_gbp: '0.90',
    on_monthly_invoice_gbp: '0.88',
  });
  assert.deepEqual(lines, [['wallet', 'out', textAt(made.json, 'wallet_sent_usdc') + ' USDC', lines[0]?.[3]]]);
});

test('an admin reads the recipient of a payout with its address, and never the whole account number', async () => {
  const made = await createPayout(client, payoutBody({}, bankOf('12345678')));
  const admin = await signIn(world.database, world.partner, { url: client.url });
  const { status, json, text } = await callAs(admin, `/v1/payouts/${made.id}/recipient`);
  assert.equal(status, 200, text);
  assert.equal(textAt(json, 'bank.account_last4'), '5678');
  assert.notEqual(textAt(json, 'address.postal_code'), '');
  for (const field of ['12345678', 'account_number', 'sort_code']) assert(!text.includes(field), field);
  const other = await signIn(world.database, await createSimulatedPartner(world.database), { url: client.url });
  assert.equal((await callAs(other, `/v1/payouts/${made.id}/recipient`)).status, 404);
});

test('of a payout that failed, what was set aside and what came back are both there', async () => {
  const made = await createPayout(client, payoutBody({}, bankOf('77310000')));
  await untilQuiet(world.database);
  const { steps, lines } = await historyOf(made.id);
  assert.deepEqual(steps.at(-1)?.[0], 'failed');
  assert.deepEqual(
    lines.map(([account, direction]) => `${account} ${direction}`),
    ['wallet out', 'wallet in'],
  );
});

test("the accounts of the house are in nobody else's history", async () => {
  const made = await createPayout(client);
  await untilQuiet(world.database);
  const { text } = await call(client, `/v1/payouts/${made.id}/history`);
  assert.doesNotMatch(text, /bank_wallet|in_transit|held|fx|exception_loss|revenue/);
});

test("another partner's history is not there", async () => {
  const made = await createPayout(client);
  const other = await createSimulatedPartner(world.database);
  const answer = await call({ ...client, key: other.key }, `/v1/payouts/${made.id}/history`);
  assert.deepEqual([answer.status, answer.code], [404, 'not_found']);
});

test('the last of the 30 days counts what arrived today, and what failed', async () => {
  const partner = await world.addPartner();
  const own = { url: world.api.url, key: partner.key };
  await createPayout(own, payoutBody({ amount_gbp: '10.00' }));
  await createPayout(own, payoutBody({ amount_gbp: '2.50' }));
  await createPayout(own, payoutBody({}, bankOf('77310000')));
  await untilQuiet(world.database);
  const { json } = await call(own, '/v1/usage/days');
  const days = listAt(json, 'data');
  assert.equal(days.length, 30);
  const counted = days.map((day) => [valueAt(day, 'completed'), textAt(day, 'paid_gbp'), valueAt(day, 'failed')]);
  assert.deepEqual(counted.at(-1), [2, '12.50', 1]);
  assert(counted.slice(0, -1).every(([completed, paid]) => completed === 0 && paid === '0.00'));
});
