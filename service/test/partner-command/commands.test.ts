import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { listAt, textAt, valueAt } from '@kelpie/dev/json.ts';
import openapi from '../../../openapi.json' with { type: 'json' };
import { canaries, payoutBody } from '../harness/client.ts';
import { startWorld } from '../harness/world.ts';
import { createDesk } from './run-kelpie.ts';

// Slow enough that a payout can be held before it settles.
const world = await startWorld({ settleAfterMs: 2_500 });
// The bank here is the emulated one, so the api may drive it.
await world.restartApi({ KELPIE_SANDBOX_BANK_CONTROL_URL: `${world.bank.url}/control` });
const desk = createDesk({ url: world.api.url, key: world.partner.key });
const order = path.join(desk.folder, 'order.json');
writeFileSync(order, JSON.stringify(payoutBody({ amount_gbp: '25.00', reference: 'Order\u001B[31m 42' })));

test('a payout that is created with --wait is printed once it is completed, and the same key pays nothing again', async () => {
  const create = ['payouts', 'create', '--file', order, '--idempotency-key', 'order-42', '--wait', '--json'];
  const first = await desk.run(...create);
  assert.deepEqual(
    [first.code, valueAt(first.json, 'object'), valueAt(first.json, 'status')],
    [0, 'payout', 'completed'],
  );
  const second = await desk.run(...create);
  assert.deepEqual([second.code, valueAt(second.json, 'id')], [0, valueAt(first.json, 'id')]);
  assert.equal((await world.bank.record()).payments.length, 1);
  const got = await desk.run('payouts', 'get', textAt(first.json, 'id'));
  assert.match(got.output, /^status +completed$/m);
  assert.match(got.output, /^amount +25\.00 GBP$/m);
  assert.match(got.output, /^reference +Order\?\[31m 42$/m, 'a control character does not reach the terminal');
});

test('without a key, one is printed before the payout is sent', async () => {
  const { output, code } = await desk.run('payouts', 'create', '--file', order);
  assert.equal(code, 0, output);
  const key = /^Idempotency-Key: (\S+)$/m.exec(output)?.[1] ?? '';
  const { json } = await desk.run('payouts', 'list', '--idempotency-key', key, '--json');
  assert.equal(listAt(json, 'data').length, 1);
  assert.equal(valueAt(json, 'next_cursor'), null);
});

test('a payout that fails has exit code 1, and one that is refused has every fault and exit code 2', async () => {
  const flags = Object.entries({
    amount: '2.00',
    'first-name': 'Ada',
    'last-name': 'Byron',
    line1: '1 High Street',
    city: 'Leeds',
    'postal-code': 'LS1 1AA',
    'bank-name': 'Example Bank',
    'sort-code': '040004',
    'account-number': '12340000',
  }).flatMap(([name, value]) => [`--${name}`, value]);
  const failed = await desk.run('payouts', 'create', ...flags, '--wait', '--json');
  assert.deepEqual([failed.code, valueAt(failed.json, 'status')], [1, 'failed'], failed.output);
  const refused = await desk.run('payouts', 'create', ...flags, '--sort-code', '04-00-04', '--amount', '0.50');
  assert.equal(refused.code, 2);
  assert.match(refused.output, /^ {2}recipient\.bank\.sort_code must be 6 digits/m);
  assert.match(refused.output, /^Request-Id: /m);
  const asJson = await desk.run('payouts', 'create', ...flags, '--sort-code', '1', '--json');
  assert.equal(valueAt(asJson.json, 'error.code'), 'invalid_recipient');
});

test('the balance and the events are the answers of the API', async () => {
  const balance = await desk.run('balance', '--json');
  assert.deepEqual([balance.code, valueAt(balance.json, 'object')], [0, 'balance']);
  assert.match((await desk.run('balance')).output, /^balance +\d+\.\d\d USDC$/m);
  const events = await eventually('there are events', async () => {
    const { json } = await desk.run('events', '--after', '1', '--limit', '2', '--json');
    return listAt(json, 'data').length === 2 && json;
  });
  assert.equal(valueAt(listAt(events, 'data')[0], 'sequence'), 2);
});

test('logs tail prints requests once each, without its own reads', async () => {
  const tail = desk.start('logs', 'tail', '--json');
  await eventually('it prints', async () => tail.lines().length > 0);
  const { json } = await desk.run('payouts', 'list', '--limit', '1', '--json');
  assert.equal(listAt(json, 'data').length, 1);
  await eventually('the request is printed', async () => tail.lines().at(-1)?.includes('"payout.list"'));
  tail.kill('SIGINT');
  assert.equal((await tail.exited).code, 0);
  const lines = tail.lines();
  assert.equal(new Set(lines).size, lines.length);
  assert(lines.every((line) => textAt(JSON.parse(line), 'action') !== 'activity.list'));
});

test('a wrong key, a wrong address and no answer each say what to do', async () => {
  const wrongKey = await createDesk({ url: world.api.url, key: `kp_sandbox_${'0'.repeat(48)}` }).run('balance');
  assert.equal(wrongKey.code, 78);
  assert.match(wrongKey.output, /kelpie configure/);
  const notKelpie = await createDesk({ url: world.bank.url, key: world.partner.key }).run('balance', '--json');
  assert.equal(valueAt(notKelpie.json, 'error.code'), 'unreachable', notKelpie.output);
  const silent = await createDesk({ url: 'http://127.0.0.1:9', key: world.partner.key }).run('balance');
  assert.equal(silent.code, 69);
});

/** Every code that the API lets a payout fail or be returned with. */
function codesOf(schema: 'SandboxFailRequest' | 'SandboxReturnRequest'): string[] {
  const { enum: codes } = openapi.components.schemas[schema].properties.failure_code;
  assert(codes.length > 5);
  return codes;
}

const triggered: readonly (readonly [type: string, failure: string | null, ...flags: string[]])[] = [
  ['payout.pending', null],
  ['payout.processing', null],
  ['payout.completed', null],
  ['payout.cancelled', null],
  ['deposit.credited', null],
  ['payout.failed', 'account_not_found'],
  ...codesOf('SandboxFailRequest').map((code) => ['payout.failed', code, '--failure-code', code] as const),
  ['payout.returned', 'account_closed'],
  ...codesOf('SandboxReturnRequest').map((code) => ['payout.returned', code, '--failure-code', code] as const),
];

for (const [type, failure, ...flags] of triggered)
  test(`trigger ${[type, ...flags].join(' ')} causes the event and prints it`, async () => {
    const { code, json, output } = await desk.run('trigger', type, ...flags, '--json');
    assert.deepEqual([code, valueAt(json, 'object'), valueAt(json, 'type')], [0, 'event', type], output);
    assert.equal(valueAt(json, 'data.failure_code') ?? null, failure);
  });

test('a code that an event cannot have is a mistake of the command line', async () => {
  const { code, output } = await desk.run('trigger', 'payout.failed', '--failure-code', 'recalled');
  assert.equal(code, 64);
  assert.match(output, /payout\.failed cannot have recalled\. Use one of account_not_found/);
});

test('a live key is refused before anything is sent', async () => {
  const live = createDesk({ url: 'http://127.0.0.1:9', key: `kp_live_${'0'.repeat(48)}` });
  for (const command of [
    ['trigger', 'payout.returned'],
    ['sandbox', 'bank', 'lost'],
    ['sandbox', 'advance', 'id'],
  ]) {
    const { code, json } = await live.run(...command, '--json');
    assert.deepEqual([code, valueAt(json, 'error.code')], [2, 'sandbox_only']);
  }
});

test('the sandbox steps drive a payout, the wallet and the bank', async () => {
  const { json } = await desk.run('payouts', 'create', '--file', order, '--json');
  const id = textAt(json, 'id');
  const held = await desk.run('sandbox', 'hold', id, '--json');
  assert.deepEqual([held.code, valueAt(held.json, 'status')], [0, 'processing'], held.output);
  const failed = await desk.run('sandbox', 'fail', id, '--failure-code', 'account_blocked', '--json');
  assert.deepEqual([failed.code, valueAt(failed.json, 'failure_code')], [0, 'account_blocked'], failed.output);
  const again = await desk.run('sandbox', 'advance', id, '--json');
  assert.deepEqual([again.code, valueAt(again.json, 'error.code')], [2, 'sandbox_step_refused']);
  const deposit = await desk.run('sandbox', 'deposit', '--usdc', '100.00', '--json');
  assert.deepEqual([deposit.code, valueAt(deposit.json, 'status')], [0, 'credited'], deposit.output);
  const bank = await desk.run('sandbox', 'bank', 'unavailable', '--times', '2');
  assert.equal(bank.output, 'The next 2 answers: unavailable.');
  assert.equal((await desk.run('sandbox', 'bank', 'normal')).output, 'The bank answers as usual.');
});

test('neither the key nor bank details are printed', async () => {
  const { output } = await desk.run('payouts', 'create', '--file', order, '--json');
  assert(!output.includes(world.partner.key) && !output.includes(canaries.accountNumber));
});
