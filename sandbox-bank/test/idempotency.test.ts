import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { callWire, createCustomer } from './customer.ts';
import { startSandboxBank } from './harness.ts';
import { valueAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';

const bank = await startSandboxBank({ settleAfterMs: 60_000 });
const hourMs = 3_600_000;

async function paymentsWith(key: string): Promise<number> {
  const { payments } = await bank.record();
  return payments.filter((payment) => payment.idempotency_key === key).length;
}

test('a key replays its answer for 24 hours, refuses another body, and is worth nothing after that', async () => {
  const customer = await createCustomer(bank);
  const key = randomUUID();
  const body = customer.order();
  const first = await callWire(bank, '/transfers', { body, key });
  assert.deepEqual([first.status, first.replayed], [201, false]);

  await bank.control('/clock', { move_ms: 23 * hourMs });
  const again = await callWire(bank, '/transfers', { body, key });
  assert.deepEqual([again.status, again.text, again.replayed], [201, first.text, true]);

  const other = await callWire(bank, '/transfers', { body: customer.order(), key });
  assert.deepEqual([other.status, valueAt(other.json, 'code')], [422, 'idempotency_key_reused']);

  await bank.control('/clock', { move_ms: 2 * hourMs });
  const late = await callWire(bank, '/transfers', { body, key });
  assert.deepEqual([late.status, valueAt(late.json, 'code')], [422, 'idempotency_key_expired']);
  assert.equal(await paymentsWith(key), 1);
});

test('thirty requests at once with one key make one transfer, and all get its answer', async () => {
  const customer = await createCustomer(bank);
  const key = randomUUID();
  const body = customer.order();
  const answers = await Promise.all(
    Array.from({ length: 30 }, async () => callWire(bank, '/transfers', { body, key })),
  );
  assert.equal(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size, 1);
  assert.equal(answers.filter(({ replayed }) => !replayed).length, 1);
  assert.equal(await paymentsWith(key), 1);
  assert.equal(await customer.balance(), '8918.03');
});

test('a refusal is replayed as well, also when the transfer would succeed by now', async () => {
  const customer = await createCustomer(bank);
  const key = randomUUID();
  const body = customer.order({ amount: '9000.00' });
  const refused = await callWire(bank, '/transfers', { body, key });
  assert.equal(valueAt(refused.json, 'code'), 'insufficient_funds');
  const again = await callWire(bank, '/transfers', { body, key });
  assert.deepEqual([again.status, again.text, again.replayed], [400, refused.text, true]);
  assert.equal(await customer.balance(), '10000.00');
});

test('an order locks its wallet when nothing is left to write', async () => {
  const customer = await createCustomer(bank);
  await asAdmin(bank.databaseUrl, async (client) =>
    client.query(`
      create function bank.refuse_early() returns trigger language plpgsql as $$
      begin
        if exists (select from bank.idempotency_keys k where k.status is null) then
          raise exception 'the answer is still to be written';
        end if;
        return new;
      end $$;
      create trigger refuse_early before update on bank.wallets for each row execute function bank.refuse_early();
    `),
  );
  const { status } = await callWire(bank, '/transfers', { body: customer.order(), key: randomUUID() });
  assert.equal(status, 201);
  assert.equal(await customer.balance(), '8918.03');
});
