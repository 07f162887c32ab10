import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import { callWire, createCustomer, stateOf, type Customer } from './customer.ts';
import { eventually } from '@kelpie/dev/eventually.ts';
import { startSandboxBank } from './harness.ts';
import { textAt } from '@kelpie/dev/json.ts';

const clients = 20;
const loadMs = 3_000;

const bank = await startSandboxBank({ settleAfterMs: 1_500 });

interface Attempt {
  key: string;
  body: object;
  /** Where the bank has said yes. */
  transferId?: string;
}

/** Undefined where the bank did not answer: it may have accepted the order or not. */
async function tryOnce({ body, key }: Attempt): Promise<string | undefined> {
  const answer = await callWire(bank, '/transfers', { body, key }).catch(() => undefined);
  if (answer === undefined) return undefined;
  assert.equal(answer.status, 201, answer.text);
  return textAt(answer.json, 'id');
}

/** Pays again and again until the bank does not answer any more. */
async function payUntilSilent(customer: Customer): Promise<Attempt[]> {
  const attempts: Attempt[] = [];
  for (;;) {
    const attempt: Attempt = { key: randomUUID(), body: customer.order({ amount: '1.00' }) };
    attempts.push(attempt);
    const transferId = await tryOnce(attempt);
    if (transferId === undefined) return attempts;
    attempt.transferId = transferId;
  }
}

test('a bank that is killed under load has every transfer that it acknowledged exactly once', async (t) => {
  const customer = await createCustomer(bank);
  const paying = Promise.all(Array.from({ length: clients }, async () => payUntilSilent(customer)));
  await wait(loadMs);
  bank.child.kill('SIGKILL');
  const attempts = (await paying).flat();
  await bank.child.exited;
  await bank.restart();

  const acknowledged = attempts.filter(({ transferId }) => transferId !== undefined);
  const open = attempts.filter(({ transferId }) => transferId === undefined);
  assert.equal(open.length, clients);
  await Promise.all(
    open.map(async (attempt) => {
      const transferId = await tryOnce(attempt);
      assert(transferId !== undefined, 'the bank that was started again does not answer');
      attempt.transferId = transferId;
    }),
  );
  t.diagnostic(`${acknowledged.length} acknowledged, then killed, ${open.length} tried again`);
  assert(acknowledged.length > clients, 'there was too little load');

  const { payments } = await bank.record();
  assert.deepEqual(
    payments.map((payment) => `${payment.idempotency_key} ${payment.transfer_id}`).toSorted(),
    attempts.map(({ key, transferId }) => `${key} ${transferId}`).toSorted(),
  );
  const taken = payments.reduce((sum, payment) => sum + payment.taken_micro_usdc, 0n);
  const wallet = await bank.control(`GET /wallets/${customer.walletId}`);
  assert.equal(BigInt(textAt(wallet, 'balance_micro_usdc')), 10_000_000_000n - taken);

  await eventually('the last ones settle', async () => {
    const states = await Promise.all(open.map(async ({ transferId }) => stateOf(bank, transferId ?? '')));
    return states.every((state) => state === 'payment_processed');
  });
  const last = acknowledged.at(-1)?.transferId ?? '';
  await eventually('those from before, too', async () => (await stateOf(bank, last)) === 'payment_processed');
});

test('a bank whose connections are cut in the middle of its work goes on, and paid nothing twice', async () => {
  const customer = await createCustomer(bank);
  const attempts = Array.from({ length: 100 }, () => ({
    key: randomUUID(),
    body: customer.order({ amount: '1.00' }),
  }));
  await cutWhile(Promise.all(attempts.map(async (attempt) => payUntilTaken(attempt))));
  const { payments } = await bank.record();
  const keys = payments
    .filter((payment) => payment.customer_id === customer.id)
    .map((payment) => String(payment.idempotency_key));
  assert.deepEqual(keys.toSorted(), attempts.map(({ key }) => key).toSorted());
  // (1.00 + 0.51) / 0.79 = 1.9113…
  assert.equal(await customer.balance(), '9808.00');
});

/** As a client does that must not pay twice: the same order under the same key, until the bank takes it. */
async function payUntilTaken({ key, body }: Attempt): Promise<void> {
  await eventually('the bank takes the order', async () => {
    const { status, text } = await callWire(bank, '/transfers', { key, body });
    assert([201, 500].includes(status), text);
    return status === 201;
  });
}

/** Cuts every connection of the bank again and again while the work goes on, at least until a query was cut by it. */
async function cutWhile(work: Promise<unknown>): Promise<void> {
  const client = new Client({ connectionString: bank.databaseUrl });
  await client.connect();
  let cutQueries = 0;
  for (let cut = 0; cut < 5 || (cutQueries === 0 && cut < 500); cut += 1) {
    const { rows } = await client.query<{ cut: number }>(
      `select count(*) filter (where pg_terminate_backend(pid) and state <> 'idle')::integer as cut
       from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
    );
    cutQueries += rows[0]?.cut ?? 0;
    await wait(20);
  }
  await client.end();
  assert(cutQueries > 0, 'nothing was cut');
  await work;
}
