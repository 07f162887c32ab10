import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { findPort } from '@kelpie/dev/free-port.ts';
import { textAt, valueAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { call, cancelPayout, createPayout, getPayout, payoutBody, type ApiAnswer } from '../harness/client.ts';
import { createTestClock, passTime } from '../harness/clock.ts';
import { assertAllHolds } from '../harness/invariants.ts';
import { untilQuiet } from '../harness/waits.ts';
import { startWorld } from '../harness/world.ts';

// What the bank says, and what becomes of the payout. The bank's own record is the judge of each.

const clock = createTestClock();
const env = { KELPIE_TEST_CLOCK_FILE: clock.file };
const world = await startWorld({ settleAfterMs: 1_200, env });
const client = { url: world.api.url, key: world.partner.key };
const minute = 60_000;
const hour = 60 * minute;

async function fault(kind: string, more: object = {}): Promise<void> {
  await world.bank.control('/faults', { on: 'transfer.create', kind, times: 1, ...more });
}

async function moveTime(byMs: number): Promise<void> {
  await passTime({ clock, bank: world.bank }, byMs);
}

/** The code is one, and what stands in the way is told by its reason and in words. */
function assertNotCreated(answer: ApiAnswer, reason: string, message: RegExp): void {
  assert.deepEqual([answer.status, answer.code], [502, 'payout_not_created'], answer.text);
  assert.equal(valueAt(answer.json, 'error.details.reason'), reason);
  assert.match(textAt(answer.json, 'error.message'), message);
}

async function usdc(): Promise<string> {
  return textAt((await call(client, '/v1/balance')).json, 'usdc');
}

async function inDatabase<Row extends object>(sql: string, values: unknown[] = []): Promise<Row[]> {
  return asAdmin(world.database.superuserUrl, async (admin) => (await admin.query<Row>(sql, values)).rows);
}

async function paymentOf({ id }: ApiAnswer): Promise<string> {
  const [row] = await inDatabase<{ payment: string }>(
    'select bank_payment_id as payment from kelpie.payouts where id = $1',
    [id],
  );
  assert(row !== undefined);
  return row.payment;
}

async function becomes({ id }: ApiAnswer, status: string): Promise<ApiAnswer> {
  return eventually(
    `${id} is ${status}`,
    async () => {
      const now = await getPayout(client, id);
      return now.payout === status && now;
    },
    20_000,
  );
}

async function casesOf({ id }: ApiAnswer): Promise<string[]> {
  const rows = await inDatabase<{ kind: string }>(
    'select kind from kelpie.cases where payout_id = $1 and closed_at is null',
    [id],
  );
  return rows.map(({ kind }) => kind);
}

/** Made and held at the bank, so that it goes on only when it is told to. */
async function makeHeld(amount = '1.00'): Promise<ApiAnswer & { payment: string }> {
  const made = await createPayout(client, payoutBody({ amount_gbp: amount }));
  const payment = await paymentOf(made);
  await world.bank.control(`/transfers/${payment}/hold`, { state: 'in_review' });
  return { ...made, payment };
}

test('odd texts that the specification allows are accepted at the bank; a name of spaces alone it rejects', async () => {
  const bank = { bank_name: ' ', sort_code: '040004', account_number: '55554444' };
  const address = { line1: '1 High\nStreet', line2: '\t', city: 'x'.repeat(1_000), postal_code: '' };
  const odd = { first_name: ' ', last_name: 'de\nla Cruz', address, bank };
  const made = await createPayout(client, payoutBody({ reference: '\n' }, odd));
  assert.deepEqual([made.status, made.payout], [201, 'processing'], made.text);
  const nameless = await createPayout(client, payoutBody({}, { ...odd, last_name: ' ' }));
  assert.deepEqual([nameless.status, nameless.code], [422, 'recipient_account_rejected'], nameless.text);
});

test('faults 19: a bank that accepts and then answers 500 is never 502, and the payout is paid once', async () => {
  await fault('error_after');
  const made = await createPayout(client);
  assert.deepEqual([made.status, made.payout], [201, 'pending']);
  await becomes(made, 'completed');
  await assertAllHolds({ ...world, acknowledged: [made.id] });
});

test('faults 20: truncated, wrong-typed, empty and foreign answers crash nobody, and each payout is paid once', async () => {
  const made: ApiAnswer[] = [];
  for (let round = 0; round < 10; round += 1) {
    for (const kind of ['truncated', 'wrong_types', 'empty', 'html']) {
      await fault(kind);
      const answer = await createPayout(client);
      assert.equal(answer.status, 201, answer.text);
      made.push(answer);
    }
  }
  for (const kind of ['truncated', 'wrong_types', 'empty', 'html'])
    await world.bank.control('/faults', { on: 'transfer.read', kind, times: 1 });
  // Who looked while the bank spoke nonsense looks again a little later.
  for (let looks = 0; looks < 5; looks += 1) {
    await moveTime(5 * minute);
    await untilQuiet(world.database, { timeoutMs: 1_000 }).catch(() => undefined);
  }
  await untilQuiet(world.database);
  assert(world.processes.every((child) => !child.output().includes('process.failed')));
  await assertAllHolds({ ...world, acknowledged: made.map(({ id }) => id) });
});

for (const [code, status] of [
  ['insufficient_funds', 400],
  ['invalid_parameters', 400],
] as const) {
  test(`a first order that the bank refuses with ${code} is 502: nothing was sent, the funds are back, and an alarm is raised`, async () => {
    const before = await usdc();
    const key = randomUUID();
    await fault('reject', { code, status });
    const refused = await createPayout(client, payoutBody(), key);
    assertNotCreated(refused, 'bank_refused', /^The bank refused the payout\./);
    assert.equal(await usdc(), before);
    assert.match(world.api.output(), /payout.refused_by_bank/);
    const again = await createPayout(client, payoutBody(), key);
    assert.deepEqual([again.status, again.payout], [201, 'processing']);
    await becomes(again, 'completed');
    await assertAllHolds({ ...world, acknowledged: [again.id] });
  });
}

test('a refusal after a try whose fate is not known keeps the hold, and the payout goes on', async () => {
  await fault('drop_reply');
  await world.bank.control('/webhooks', { mode: 'lose' });
  const made = await createPayout(client);
  assert.equal(made.payout, 'pending');
  await fault('reject', { code: 'invalid_parameters' });
  const triedAgain = async (): Promise<number> =>
    (await inDatabase(`select from kelpie.payout_history where payout_id = $1 and what = 'not_known'`, [made.id]))
      .length;
  await eventually('it was refused', async () => (await triedAgain()) === 2);
  assert.equal((await getPayout(client, made.id)).payout, 'pending');
  await moveTime(minute);
  await eventually('it was accepted', async () => (await getPayout(client, made.id)).payout !== 'pending');
  await moveTime(minute);
  await becomes(made, 'completed');
  await world.bank.control('/webhooks', { mode: 'normal' });
  await assertAllHolds({ ...world, acknowledged: [made.id] });
});

test('account details that the bank refuses at registration are 422, and the key is free for other ones', async () => {
  const key = randomUUID();
  const before = await usdc();
  await world.bank.control('/faults', {
    on: 'external_account.create',
    kind: 'reject',
    code: 'invalid_account_number',
    times: 1,
  });
  const body = payoutBody({}, { bank: { bank_name: 'Bank', sort_code: '040999', account_number: '11112222' } });
  const refused = await createPayout(client, body, key);
  assert.deepEqual([refused.status, refused.code], [422, 'recipient_account_rejected']);
  assert.equal(await usdc(), before);
  const other = await createPayout(client, payoutBody({ amount_gbp: '1.50' }), key);
  assert.equal(other.status, 201, other.text);
  await becomes(other, 'completed');
  await assertAllHolds({ ...world, acknowledged: [other.id] });
});

test('without a fresh rate the answer says so, and nothing was sent', async () => {
  const { url } = await world.addApi({ KELPIE_SANDBOX_BANK_URL: `http://127.0.0.1:${await findPort()}/v0` });
  assertNotCreated(await createPayout({ ...client, url }), 'rate_stale', /^The exchange rate is out of date\./);
  await assertAllHolds(world);
});

test('a recipient that can not be registered for another reason is 502, and nothing was sent', async () => {
  for (const kind of ['error_before', 'drop_reply', 'html']) {
    await world.bank.control('/faults', { on: 'external_account.create', kind, times: 1 });
    const body = payoutBody({}, { bank: { bank_name: 'Bank', sort_code: '040999', account_number: '33334444' } });
    const refused = await createPayout(client, body);
    assertNotCreated(refused, 'bank_unreachable', /^The bank is unavailable\./);
  }
  const refusal = { on: 'external_account.create', kind: 'reject', times: 1, code: 'invalid_parameters' };
  await world.bank.control('/faults', refusal);
  const body = payoutBody({}, { bank: { bank_name: 'Bank', sort_code: '040999', account_number: '33335555' } });
  assertNotCreated(await createPayout(client, body), 'bank_refused', /^The bank refused the payout\./);
  await assertAllHolds(world);
});

test('faults 22: past the day for which the bank knows a key, nothing is sent again by itself', async () => {
  await world.bank.control('/webhooks', { mode: 'lose' });
  await world.worker?.stop();
  await fault('drop_request');
  const never = await createPayout(client);
  await fault('drop_reply');
  const sent = await createPayout(client);
  assert.deepEqual([never.payout, sent.payout], ['pending', 'pending']);
  const before = (await world.bank.record()).payments.length;
  await moveTime(25 * hour);
  await world.restartWorker();
  await becomes(sent, 'completed');
  await eventually('a person has to look', async () => (await casesOf(never)).includes('not_found_at_bank'));
  assert.equal((await getPayout(client, never.id)).payout, 'pending');
  assert.equal((await world.bank.record()).payments.length, before);
  await world.bank.control('/webhooks', { mode: 'normal' });
  await assertAllHolds({ ...world, acknowledged: [never.id, sent.id] });
});

test('a payout that was certainly not sent can be tried again with its key after a day, too', async () => {
  const key = randomUUID();
  await fault('reject', { code: 'invalid_parameters' });
  assert.equal((await createPayout(client, payoutBody(), key)).status, 502);
  await moveTime(25 * hour);
  const again = await createPayout(client, payoutBody(), key);
  assert.equal(again.payout, 'processing', again.text);
  await becomes(again, 'completed');
  await assertAllHolds({ ...world, acknowledged: [again.id] });
});

test('faults 23: a bank that says 404 and then settles: the hold is kept until there is proof', async () => {
  const made = await makeHeld();
  const before = await usdc();
  await world.bank.control(`/transfers/${made.payment}/forget`);
  await moveTime(5 * minute);
  await eventually('the bank said that it is not there', async () =>
    world.processes.some((child) => child.output().includes('payout.absent_at_bank')),
  );
  assert.equal((await getPayout(client, made.id)).payout, 'processing');
  assert.equal(await usdc(), before);
  await world.bank.control(`/transfers/${made.payment}/settle`);
  await world.bank.control(`/transfers/${made.payment}/remember`);
  await moveTime(5 * minute);
  await becomes(made, 'completed');
  await assertAllHolds({ ...world, acknowledged: [made.id] });
});

test('faults 27: with all webhooks lost, polling settles a payout within five minutes', async () => {
  await world.bank.control('/webhooks', { mode: 'lose' });
  const made = await Promise.all(Array.from({ length: 20 }, async () => createPayout(client)));
  await eventually('the bank has settled them', async () => {
    const states = await Promise.all(
      made.map(async (one) => {
        const response = await fetch(`${world.bank.wireUrl}/transfers/${await paymentOf(one)}`, {
          headers: { 'api-key': world.bank.apiKey },
        });
        return textAt(await response.json(), 'state');
      }),
    );
    return states.every((state) => state === 'payment_processed');
  });
  await moveTime(5 * minute);
  await untilQuiet(world.database, { pending: 1 });
  await world.bank.control('/webhooks', { mode: 'normal' });
  await assertAllHolds({ ...world, acknowledged: made.map(({ id }) => id) });
});

test('a payment that fails after the bank took it is failed at once, and its money comes back with the refund', async () => {
  const before = await usdc();
  const made = await makeHeld('5.00');
  await world.bank.control(`/transfers/${made.payment}/fail`, { reason: 'account_closed' });
  const failed = await becomes(made, 'failed');
  assert.equal(valueAt(failed.json, 'failure_code'), 'account_closed');
  assert.equal(valueAt(failed.json, 'failure_reason'), "The recipient's account is closed.");
  assert.notEqual(await usdc(), before);
  await world.bank.control(`/transfers/${made.payment}/refund`, { refund_micro_usdc: 6_000_000 });
  // All of it, though the bank gave back less: what is missing is our loss.
  await eventually('the money is back', async () => (await usdc()) === before);
  assert.equal((await getPayout(client, made.id)).payout, 'failed');
  await assertAllHolds({ ...world, acknowledged: [made.id] });
});

test('a payout that is returned before it is completed gives back what the bank really sent', async () => {
  const made = await createPayout(client, payoutBody({ amount_gbp: '5.00' }));
  const before = Number(await usdc());
  await world.bank.control(`/transfers/${await paymentOf(made)}/return`, {
    reason: 'recalled',
    refund_micro_usdc: 6_500_000,
  });
  const returned = await becomes(made, 'returned');
  assert.equal(valueAt(returned.json, 'failure_code'), 'recalled');
  assert.equal((Number(await usdc()) - before).toFixed(2), '6.50');
  await assertAllHolds({ ...world, acknowledged: [made.id] });
});

test('a payout is cancelled where the bank still can, and only once its record says so; to repeat it is safe', async () => {
  const before = await usdc();
  const made = await createPayout(client);
  const payment = await paymentOf(made);
  await world.bank.control(`/transfers/${payment}/hold`, { state: 'awaiting_funds' });
  const answers = await Promise.all(Array.from({ length: 10 }, async () => cancelPayout(client, made.id)));
  assert.deepEqual([...new Set(answers.map(({ status, payout }) => `${status} ${payout}`))], ['200 cancelled']);
  assert.equal((await cancelPayout(client, made.id)).status, 200);
  assert.equal(await usdc(), before);
  const rows = await inDatabase<{ count: number }>(
    `select count(*)::int from kelpie.activity where action = 'payout.cancel' and detail = $1`,
    [made.id],
  );
  assert.equal(rows[0]?.count, 1);
  await assertAllHolds({ ...world, acknowledged: [made.id] });
});

test('a payout that is on its way, at its end, or not yet known to the bank can not be cancelled', async () => {
  const made = await createPayout(client);
  const refused = await cancelPayout(client, made.id);
  assert.deepEqual([refused.status, refused.code], [409, 'payout_not_cancellable']);
  await becomes(made, 'completed');
  assert.equal((await cancelPayout(client, made.id)).status, 409);
  assert.equal((await cancelPayout(client, randomUUID())).status, 404);
  await assertAllHolds({ ...world, acknowledged: [made.id] });
});

for (const state of ['error', 'refund_failed', 'missing_return_policy']) {
  test(`when the bank says ${state}, the payout does not move, and a person has to look`, async () => {
    const made = await makeHeld();
    await world.bank.control(`/transfers/${made.payment}/state`, { state });
    await eventually('a case is open', async () => (await casesOf(made)).includes('bank_needs_attention'));
    assert.equal((await getPayout(client, made.id)).payout, 'processing');
    await world.bank.control(`/transfers/${made.payment}/state`, { state: 'payment_processed' });
    await becomes(made, 'completed');
    assert.equal((await casesOf(made)).length, 1);
    await assertAllHolds({ ...world, acknowledged: [made.id] });
  });
}

for (const difference of [-10_000, 15_000]) {
  test(`a bank that takes ${difference} micro-USDC more than we reckoned is the house's gain or loss, not the partner's`, async () => {
    const before = Number(await usdc());
    await fault('take_different', { micro_usdc: difference });
    const made = await createPayout(client, payoutBody({ amount_gbp: '10.00' }));
    await becomes(made, 'completed');
    assert.equal((before - Number(await usdc())).toFixed(2), valueAt(made.json, 'wallet_sent_usdc'));
    assert.deepEqual(await casesOf(made), []);
    await assertAllHolds({ ...world, acknowledged: [made.id] });
  });
}

test('a bank that takes more than one part in a hundred too much opens a case', async () => {
  await fault('take_different', { micro_usdc: 1_500_000 });
  const made = await createPayout(client, payoutBody({ amount_gbp: '10.00' }));
  await becomes(made, 'completed');
  assert.deepEqual(await casesOf(made), ['taken_differs']);
  await assertAllHolds({ ...world, acknowledged: [made.id] });
});

test('whoever waits too long for a payout with the same key is told to come back', async () => {
  await world.worker?.stop();
  const key = randomUUID();
  const api = await world.addApi({ KELPIE_TEST_FAILPOINT: 'bank.send_payment.before*1', ...env });
  await assert.rejects(createPayout({ ...client, url: api.url }, payoutBody(), key));
  const waited = await createPayout(client, payoutBody(), key);
  assert.deepEqual(
    [waited.status, waited.code, waited.headers.get('retry-after')],
    [409, 'idempotency_key_in_use', '1'],
  );
  await moveTime(10_000);
  await world.restartWorker();
  const reported = await createPayout(client, payoutBody(), key);
  assert.equal(reported.status, 200, reported.text);
  await becomes(reported, 'completed');
  await assertAllHolds({ ...world, acknowledged: [reported.id] });
});
