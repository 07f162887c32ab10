import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { callWire, createCustomer } from './customer.ts';
import { eventually } from '@kelpie/dev/eventually.ts';
import { startSandboxBank } from './harness.ts';
import { listAt, textAt, valueAt } from '@kelpie/dev/json.ts';

const bank = await startSandboxBank({ settleAfterMs: 60_000 });
const customer = await createCustomer(bank);

/** Creates a transfer under a fault that meets it once, and asks the record whether the bank accepted it. */
async function createUnder(fault: object) {
  const key = randomUUID();
  const body = customer.order({ amount: '10.00' });
  await bank.control('/faults', { on: 'transfer.create', times: 1, ...fault });
  const answer = await callWire(bank, '/transfers', { body, key }).catch((error: unknown) => {
    assert(error instanceof TypeError, String(error));
    return undefined;
  });
  const accepted = async () => (await bank.record()).payments.filter((payment) => payment.idempotency_key === key);
  const acceptedThen = await accepted();
  const retry = await callWire(bank, '/transfers', { body, key });
  assert.equal(retry.status, 201, retry.text);
  assert.equal((await accepted()).length, 1, 'the retry paid again, or not at all');
  return { answer, accepted: acceptedThen.length === 1, taken: acceptedThen[0]?.taken_micro_usdc, retry };
}

test('reject answers as told, and the bank does nothing', async () => {
  const { answer, accepted, retry } = await createUnder({ kind: 'reject', status: 403, code: 'customer_paused' });
  assert.deepEqual([answer?.status, valueAt(answer?.json, 'code')], [403, 'customer_paused']);
  assert.deepEqual([accepted, retry.replayed], [false, false]);
});

test('error_before answers 500, and the bank does nothing', async () => {
  const { answer, accepted, retry } = await createUnder({ kind: 'error_before' });
  assert.deepEqual([answer?.status, accepted, retry.replayed], [500, false, false]);
});

test('error_after answers 500 for what was accepted, and a retry replays the true answer', async () => {
  const { answer, accepted, retry } = await createUnder({ kind: 'error_after' });
  assert.deepEqual([answer?.status, accepted, retry.replayed], [500, true, true]);
  assert.equal(valueAt(retry.json, 'state'), 'pending');
});

test('drop_request hangs up before anything is done, drop_reply after', async () => {
  const request = await createUnder({ kind: 'drop_request' });
  assert.deepEqual([request.answer, request.accepted, request.retry.replayed], [undefined, false, false]);
  const reply = await createUnder({ kind: 'drop_reply' });
  assert.deepEqual([reply.answer, reply.accepted, reply.retry.replayed], [undefined, true, true]);
});

test('delay waits before the work, delay_reply after it', async () => {
  for (const [kind, doneMeanwhile] of [
    ['delay', 0],
    ['delay_reply', 1],
  ] as const) {
    const reference = randomUUID();
    const paid = async () =>
      listAt(await bank.control(`GET /record?client_reference_id=${reference}`), 'payments').length;
    await bank.control('/faults', { on: 'transfer.create', kind, times: 1, delay_ms: 1_500 });
    const startedAt = performance.now();
    const body = customer.order({ amount: '10.00', clientReferenceId: reference });
    const answering = callWire(bank, '/transfers', { body });
    // A fault that is used up is gone from the list: the request has arrived.
    await eventually('arrived', async () => listAt(await bank.control('GET /faults'), 'data').length === 0);
    await eventually(kind, async () => (await paid()) === doneMeanwhile, 1_000);
    assert.equal((await answering).status, 201);
    assert(performance.now() - startedAt >= 1_495, kind);
    assert.equal(await paid(), 1);
  }
});

test('truncated, wrong_types, empty and html answer nonsense as a success, for what was accepted', async () => {
  const truncated = await createUnder({ kind: 'truncated' });
  assert.deepEqual([truncated.answer?.status, truncated.answer?.json, truncated.accepted], [201, undefined, true]);
  assert(truncated.retry.text.startsWith(truncated.answer?.text ?? 'nothing'));
  const wrongTypes = await createUnder({ kind: 'wrong_types' });
  assert.deepEqual([valueAt(wrongTypes.answer?.json, 'id'), wrongTypes.accepted], [7, true]);
  const empty = await createUnder({ kind: 'empty' });
  assert.deepEqual([empty.answer?.status, empty.answer?.text, empty.accepted], [201, '', true]);
  const html = await createUnder({ kind: 'html' });
  assert.match(html.answer?.text ?? '', /^<!doctype html>/);
  assert.equal(html.accepted, true);
});

test('other_reference, other_amount and other_account answer about something else, for what was accepted', async () => {
  for (const [kind, field] of [
    ['other_reference', 'client_reference_id'],
    ['other_amount', 'destination.amount'],
    ['other_account', 'destination.external_account_id'],
  ] as const) {
    const { answer, retry, accepted } = await createUnder({ kind });
    assert.deepEqual([answer?.status, accepted], [201, true]);
    assert.notEqual(valueAt(answer?.json, field), valueAt(retry.json, field));
    assert.equal(valueAt(answer?.json, 'id'), valueAt(retry.json, 'id'));
  }
});

test('no_amounts answers without what was debited, for what was accepted', async () => {
  const { answer, accepted } = await createUnder({ kind: 'no_amounts' });
  assert.deepEqual([answer?.status, accepted, valueAt(answer?.json, 'receipt')], [201, true, {}]);
});

test('take_different takes more or less than it should, and says so in the receipt', async () => {
  // (10.00 + 0.55) / 0.79 = 13.3544…
  const more = await createUnder({ kind: 'take_different', micro_usdc: 250_001 });
  assert.equal(more.taken, 13_360_000n + 250_001n);
  assert.equal(valueAt(more.answer?.json, 'receipt.initial_amount'), '13.610001');
  const less = await createUnder({ kind: 'take_different', micro_usdc: -10_000 });
  assert.equal(less.taken, 13_350_000n);
});

test('a fault meets exactly as many requests as it was made for, however many come at once', async () => {
  await bank.control('/faults', { on: 'exchange_rates', kind: 'error_before', times: 7 });
  const ask = async () => (await callWire(bank, '/exchange_rates?from=usd&to=gbp')).status;
  const statuses = await Promise.all(Array.from({ length: 30 }, ask));
  assert.equal(statuses.filter((status) => status === 500).length, 7);
  assert.equal(statuses.filter((status) => status === 200).length, 23);
});

test('a fault without a number lasts until faults are cleared, and any meets every request', async () => {
  await bank.control('/faults', { on: 'any', kind: 'error_before' });
  const ask = async () => (await callWire(bank, `/customers/${customer.id}/transfers`)).status;
  assert.deepEqual([await ask(), await ask(), await ask()], [500, 500, 500]);
  const active = await bank.control('GET /faults');
  assert.deepEqual(
    listAt(active, 'data').map((fault) => textAt(fault, 'kind')),
    ['error_before'],
  );
  await bank.control('DELETE /faults');
  assert.equal(await ask(), 200);
});
