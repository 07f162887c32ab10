import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client } from 'pg';
import { callWire, createCustomer, pay, stateOf } from './customer.ts';
import { eventually } from '@kelpie/dev/eventually.ts';
import { startSandboxBank } from './harness.ts';
import { listAt, textAt, valueAt } from '@kelpie/dev/json.ts';
import { startReceiver } from './receiver.ts';

const bank = await startSandboxBank({ settleAfterMs: 60_000 });

async function cancel(id: string) {
  return callWire(bank, `/transfers/${id}`, { method: 'DELETE' });
}

test('a return after completion puts the money back once', async () => {
  const receiver = await startReceiver(bank);
  const customer = await createCustomer(bank);
  const id = await pay(bank, customer);
  await bank.control(`/transfers/${id}/settle`);
  assert.equal(await stateOf(bank, id), 'payment_processed');
  const returned = await bank.control(`/transfers/${id}/return`, { reason: 'account_closed' });
  assert.equal(valueAt(returned, 'state'), 'refunded');
  assert.equal(valueAt(returned, 'return_details.reason'), 'account_closed');
  assert.equal(valueAt(returned, 'receipt.refunded_amount'), '1081.97');
  assert.equal(await customer.balance(), '10000.00');
  await assert.rejects(bank.control(`/transfers/${id}/return`), /invalid_state/);
  await bank.control(`/transfers/${id}/state`, { state: 'payment_processed' });
  await assert.rejects(bank.control(`/transfers/${id}/return`), /has already been returned/);
  assert.equal(await customer.balance(), '10000.00');
  const { refunds } = await bank.record();
  assert.deepEqual(
    refunds.filter((refund) => refund.transfer_id === id).map((refund) => refund.micro_usdc),
    [1_081_970_000n],
  );
  const notified = ['pending', 'payment_processed', 'returned', 'refund_in_flight', 'refunded', 'payment_processed'];
  await eventually('all of it told', async () => receiver.statesOf(id).length === notified.length);
  assert.deepEqual(receiver.statesOf(id), notified);
});

test('less than was taken can come back', async () => {
  const customer = await createCustomer(bank);
  const id = await pay(bank, customer);
  await bank.control(`/transfers/${id}/return`, { reason: 'name_mismatch', refund_micro_usdc: 1_000_000_001 });
  assert.equal(await customer.balance(), '9918.030001');
});

test('what fails is undeliverable, and its money comes back only with the refund', async () => {
  const customer = await createCustomer(bank);
  const id = await pay(bank, customer);
  await bank.control(`/transfers/${id}/fail`, { reason: 'invalid_account_number' });
  assert.equal(await stateOf(bank, id), 'undeliverable');
  assert.equal(await customer.balance(), '8918.03');
  await bank.control(`/transfers/${id}/refund`);
  assert.equal(await stateOf(bank, id), 'refunded');
  assert.equal(await customer.balance(), '10000.00');
});

test('what is forgotten is not found and not listed until it is remembered; the record has it throughout', async () => {
  const customer = await createCustomer(bank);
  const id = await pay(bank, customer);
  const listed = async () =>
    listAt((await callWire(bank, `/customers/${customer.id}/transfers`)).json, 'data').map((item) =>
      textAt(item, 'id'),
    );
  await bank.control(`/transfers/${id}/forget`);
  assert.equal((await callWire(bank, `/transfers/${id}`)).status, 404);
  assert.equal((await cancel(id)).status, 404);
  assert.deepEqual(await listed(), []);
  assert.equal((await bank.record()).payments.filter((payment) => payment.transfer_id === id).length, 1);
  await bank.control(`/transfers/${id}/remember`);
  assert.deepEqual(await listed(), [id]);
});

test('a transfer is cancelled only while it awaits funds, and its money comes back once', async () => {
  const customer = await createCustomer(bank);
  const id = await pay(bank, customer);
  const refused = await cancel(id);
  assert.deepEqual([refused.status, valueAt(refused.json, 'code')], [400, 'invalid_state']);
  await bank.control(`/transfers/${id}/hold`, { state: 'awaiting_funds' });
  const answers = await Promise.all([cancel(id), cancel(id), cancel(id)]);
  assert.deepEqual(answers.map(({ status }) => String(status)).toSorted(), ['200', '400', '400']);
  assert.equal(await stateOf(bank, id), 'canceled');
  assert.equal(await customer.balance(), '10000.00');
});

test('what is held does not settle, and goes on when it is released', async () => {
  const customer = await createCustomer(bank);
  const [held, free] = [await pay(bank, customer), await pay(bank, customer)];
  await bank.control(`/transfers/${held}/hold`, { state: 'in_review' });
  await bank.control('/clock', { move_ms: 61_000 });
  await eventually('the other settles', async () => (await stateOf(bank, free)) === 'payment_processed');
  assert.equal(await stateOf(bank, held), 'in_review');
  await bank.control(`/transfers/${held}/release`);
  assert.equal(await stateOf(bank, held), 'pending');
  await bank.control('/clock', { move_ms: 61_000 });
  await eventually('it settles', async () => (await stateOf(bank, held)) === 'payment_processed');
});

test('a state that was set stays, whatever the time', async () => {
  const customer = await createCustomer(bank);
  const [stuck, free] = [await pay(bank, customer), await pay(bank, customer)];
  await bank.control(`/transfers/${stuck}/state`, { state: 'missing_return_policy' });
  await bank.control('/clock', { move_ms: 61_000 });
  await eventually('the other settles', async () => (await stateOf(bank, free)) === 'payment_processed');
  assert.equal(await stateOf(bank, stuck), 'missing_return_policy');
});

test('the record can be asked for one reference or one customer', async () => {
  const customer = await createCustomer(bank);
  const body = customer.order({ clientReferenceId: 'po_only' });
  await callWire(bank, '/transfers', { body });
  for (const choice of ['client_reference_id=po_only', `customer_id=${customer.id}`]) {
    const record = await bank.control(`GET /record?${choice}`);
    assert.deepEqual(
      listAt(record, 'payments').map((payment) => textAt(payment, 'client_reference_id')),
      ['po_only'],
    );
  }
  const wallet = await bank.control(`GET /wallets/${customer.walletId}`);
  assert.equal(valueAt(wallet, 'balance_micro_usdc'), '8918030000');
});

test('the record is only added to: the database itself refuses to change it', async () => {
  await pay(bank, await createCustomer(bank));
  const client = new Client({ connectionString: bank.databaseUrl });
  await client.connect();
  try {
    const tables = ['payments', 'refunds', 'wallet_movements', 'deposit_credits', 'deposit_reversals'];
    for (const table of tables.map((name) => `bank.${name}`)) {
      await assert.rejects(client.query(`delete from ${table}`), /is only added to/);
      await assert.rejects(client.query(`truncate ${table} cascade`), /is only added to/);
    }
    await assert.rejects(client.query('update bank.payments set amount_pence = 1'), /is only added to/);
  } finally {
    await client.end();
  }
});

test('the page shows the transfers, and its buttons do what they say', async () => {
  const customer = await createCustomer(bank);
  const id = await pay(bank, customer, '12.34');
  await bank.control('/faults', { on: 'exchange_rates', kind: 'error_before' });
  const page = await (await fetch(`${bank.url}/`)).text();
  assert.match(page, /£12\.34/);
  assert.match(page, /··9911/);
  assert.match(page, /error_before/);
  assert.doesNotMatch(page, /<script|http-equiv/);
  const form = {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  } as const;
  const settled = await fetch(`${bank.url}/page/transfers/${id}/settle`, form);
  assert.deepEqual([settled.status, settled.headers.get('location')], [303, '/']);
  assert.equal(await stateOf(bank, id), 'payment_processed');
  await fetch(`${bank.url}/page/faults/clear`, form);
  await fetch(`${bank.url}/page/faults/next/drop_reply`, form);
  await assert.rejects(callWire(bank, '/transfers', { body: customer.order() }));
  assert.equal((await callWire(bank, '/transfers', { body: customer.order() })).status, 201);
  assert.deepEqual(await bank.control('GET /faults'), { data: [] });
  const foreign = { ...form, headers: { ...form.headers, origin: 'http://elsewhere.test' } };
  assert.equal((await fetch(`${bank.url}/page/transfers/${id}/return`, foreign)).status, 401);
  assert.equal(await stateOf(bank, id), 'payment_processed');
});
