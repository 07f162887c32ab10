import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startChild } from '@kelpie/dev/child-process.ts';
import { callWire, createCustomer } from './customer.ts';
import { eventually } from '@kelpie/dev/eventually.ts';
import { startSandboxBank } from './harness.ts';
import { listAt, valueAt } from '@kelpie/dev/json.ts';

const right = { BANK_DATABASE_URL: 'postgres://kelpie_owner:hunter2@127.0.0.1:1/bank', BANK_PORT: '0' };

const wrong = {
  BANK_DATABASE_URL: 'mysql://root:hunter2@127.0.0.1/bank',
  BANK_PORT: '65536',
  BANK_API_KEY: 'two words',
  BANK_MODE: 'live',
  BANK_SETTLE_AFTER_MS: '3s',
  BANK_LOG: 'loud',
};

for (const [variable, value] of Object.entries(wrong)) {
  test(`the bank ends with a sentence that names ${variable} where it is wrong`, async () => {
    const env = { ...right, [variable]: value };
    const child = startChild({ name: 'sandbox bank', file: 'sandbox-bank/src/main.ts', env });
    const { code } = await child.exited;
    assert.equal(code, 78, child.output());
    assert.match(child.output(), new RegExp(`^${variable} is invalid\\. It must be `));
    assert.doesNotMatch(child.output(), /hunter2|^\s+at /m);
  });
}

test('a bank that is told to stop finishes what it is at, and ends with 0', async () => {
  const bank = await startSandboxBank();
  const customer = await createCustomer(bank);
  await bank.control('/faults', { on: 'transfer.create', kind: 'delay', delay_ms: 500, times: 1 });
  const answering = callWire(bank, '/transfers', { body: customer.order() });
  await eventually('arrived', async () => listAt(await bank.control('GET /faults'), 'data').length === 0);
  const startedAt = performance.now();
  bank.child.kill('SIGTERM');
  const [answer, exit] = await Promise.all([answering, bank.child.exited]);
  assert.equal(answer.status, 201);
  assert.deepEqual(exit, { code: 0, signal: null });
  assert(performance.now() - startedAt < 5_000);
});

test('the clock and the answers of a bank are the same after a restart', async () => {
  const bank = await startSandboxBank({ settleAfterMs: 60_000 });
  const customer = await createCustomer(bank);
  const order = { body: customer.order(), key: 'before-the-restart' };
  const first = await callWire(bank, '/transfers', order);
  await bank.control('/clock', { move_ms: 3_600_000 });
  await bank.restart();
  assert.equal(valueAt(await bank.control('GET /clock'), 'shift_ms'), 3_600_000);
  const again = await callWire(bank, '/transfers', order);
  assert.deepEqual([again.text, again.replayed], [first.text, true]);
});

test('it says that it is alive', async () => {
  const bank = await startSandboxBank();
  assert.equal((await fetch(`${bank.url}/healthz`)).status, 200);
});
