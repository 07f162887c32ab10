import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { version } from 'uuid';
import { accountBody, callWire, createCustomer, pay, stateOf } from './customer.ts';
import { eventually } from '@kelpie/dev/eventually.ts';
import { startSandboxBank } from './harness.ts';
import { listAt, textAt, valueAt } from '@kelpie/dev/json.ts';

const [bank, live] = await Promise.all([
  startSandboxBank({ settleAfterMs: 600 }),
  startSandboxBank({ mode: 'live-stand-in', settleAfterMs: 60_000 }),
]);

function idsOf(list: unknown): string[] {
  return listAt(list, 'data').map((item) => textAt(item, 'id'));
}

test('without the right key nothing is answered', async () => {
  const { status, json } = await callWire(bank, '/exchange_rates?from=usd&to=gbp', { apiKey: 'sk-test-other' });
  assert.equal(status, 401);
  assert.equal(valueAt(json, 'code'), 'unauthorized');
});

test('rates are those that transfers are priced with', async () => {
  const { json } = await callWire(bank, '/exchange_rates?from=usd&to=gbp');
  assert.deepEqual(json, { midmarket_rate: '0.7950', buy_rate: '0.7900', sell_rate: '0.8000' });
});

test('a transfer takes the amount and the fee at the rate, rounded up to a cent, and settles by itself', async () => {
  const customer = await createCustomer(bank);
  assert.equal(await customer.balance(), '10000.00');
  const order = customer.order({ clientReferenceId: 'po_1' });
  const { status, json } = await callWire(bank, '/transfers', { body: order });
  assert.equal(status, 201);
  const id = textAt(json, 'id');
  assert.equal(version(id), 7);
  assert.equal(valueAt(json, 'state'), 'pending');
  assert.equal(valueAt(json, 'client_reference_id'), 'po_1');
  // (850.00 + 0.50 + 4.25) / 0.79 = 1081.9620…
  assert.deepEqual(valueAt(json, 'receipt'), {
    initial_amount: '1081.97',
    developer_fee: '0.00',
    exchange_fee: '6.02',
    gas_fee: '0.02',
    final_amount: '850.00',
  });
  assert.equal(await customer.balance(), '8918.03');
  await eventually('settled', async () => (await stateOf(bank, id)) === 'payment_processed');
  const { payments } = await bank.record();
  const own = payments.filter((payment) => payment.customer_id === customer.id);
  assert.deepEqual(
    own.map((payment) => [payment.transfer_id, payment.amount_pence, payment.taken_micro_usdc]),
    [[id, 85_000n, 1_081_970_000n]],
  );
  const history = await callWire(bank, `/wallets/${customer.walletId}/history`);
  assert.deepEqual(
    listAt(history.json, 'data').map((movement) => [textAt(movement, 'amount'), textAt(movement, 'balance_after')]),
    [
      ['-1081.97', '8918.03'],
      ['10000.00', '10000.00'],
    ],
  );
});

test('an account that ends in 0000 is rejected by the sandbox and taken by the stand-in for the live bank', async () => {
  const customer = await createCustomer(bank, '12340000');
  const { status, json } = await callWire(bank, '/transfers', { body: customer.order() });
  assert.deepEqual([status, valueAt(json, 'code')], [400, 'external_account_rejected']);
  assert.equal(await customer.balance(), '10000.00');
  await pay(live, await createCustomer(live, '12340000'));
});

test('the stand-in for the live bank refuses less than 3.00 pounds; the sandbox does not', async () => {
  const customer = await createCustomer(live);
  const { status, json } = await callWire(live, '/transfers', { body: customer.order({ amount: '2.99' }) });
  assert.equal(status, 400);
  assert.equal(valueAt(json, 'code'), 'invalid_parameters');
  assert.deepEqual(valueAt(json, 'source'), { location: 'body', key: 'destination.amount' });
  await pay(live, customer, '3.00');
  await pay(bank, await createCustomer(bank), '0.01');
});

test('a wrong field is refused by its name, and nothing is taken', async () => {
  const customer = await createCustomer(bank);
  const wrong = [
    [customer.order({ amount: '1.001' }), 'destination.amount'],
    [customer.order({ amount: '0.00' }), 'destination.amount'],
    [customer.order({ reference: 'longer than eighteen' }), 'destination.reference'],
    [customer.order({ reference: 'naïve' }), 'destination.reference'],
    [{ ...customer.order(), source: { currency: 'usdc' } }, 'source.payment_rail'],
    [{ ...customer.order(), destination: 'abroad' }, 'destination'],
  ] as const;
  for (const [body, key] of wrong) {
    const { status, json } = await callWire(bank, '/transfers', { body });
    assert.deepEqual([status, valueAt(json, 'code'), valueAt(json, 'source.key')], [400, 'invalid_parameters', key]);
  }
  assert.equal(await customer.balance(), '10000.00');
});

test("what is not there, or another customer's, is not found", async () => {
  const [customer, other] = await Promise.all([createCustomer(bank), createCustomer(bank)]);
  const unknown = [
    { ...customer.order(), on_behalf_of: randomUUID() },
    { ...customer.order(), on_behalf_of: other.id },
    customer.order({ accountId: other.accountId }),
    customer.order({ accountId: 'not-an-id' }),
  ];
  for (const body of unknown) {
    const { status, json } = await callWire(bank, '/transfers', { body });
    assert.deepEqual([status, valueAt(json, 'code')], [404, 'not_found']);
  }
  assert.equal((await callWire(bank, `/transfers/${randomUUID()}`)).status, 404);
});

test('fifty transfers at once never take a wallet below zero', async () => {
  const customer = await createCustomer(bank);
  const answers = await Promise.all(
    Array.from({ length: 50 }, async () => callWire(bank, '/transfers', { body: customer.order() })),
  );
  const refused = answers.filter(({ status }) => status === 400);
  // 9 × 1081.97 = 9737.73; a tenth does not fit.
  assert.equal(answers.filter(({ status }) => status === 201).length, 9);
  assert.equal(refused.length, 41);
  assert(refused.every(({ json }) => valueAt(json, 'code') === 'insufficient_funds'));
  assert.equal(await customer.balance(), '262.27');
  const { payments } = await bank.record();
  assert.equal(payments.filter((payment) => payment.customer_id === customer.id).length, 9);
});

test('the same account details again name the account that is there', async () => {
  const customer = await createCustomer(bank);
  const path = `/customers/${customer.id}/external_accounts`;
  const again = await callWire(bank, path, { body: accountBody('55779911') });
  assert.deepEqual([again.status, valueAt(again.json, 'code')], [400, 'duplicate_external_account']);
  assert.equal(valueAt(again.json, 'id'), customer.accountId);
  const one = await callWire(bank, `${path}/${customer.accountId}`);
  assert.deepEqual(valueAt(one.json, 'account'), { last_4: '9911', sort_code: '200000' });
  const wrong = await callWire(bank, path, { body: accountBody('5577991') });
  assert.deepEqual([wrong.status, valueAt(wrong.json, 'source.key')], [400, 'account.account_number']);
});

test('a deactivated account takes no transfer', async () => {
  const customer = await createCustomer(bank);
  await bank.control(`/external_accounts/${customer.accountId}/deactivate`, { reason: 'invalid_account_number' });
  const { status, json } = await callWire(bank, '/transfers', { body: customer.order() });
  assert.deepEqual([status, valueAt(json, 'code')], [400, 'external_account_inactive']);
});

test('a list is newest first, and can be walked both ways', async () => {
  const customer = await createCustomer(live);
  const made: string[] = [];
  for (let n = 0; n < 5; n += 1) made.push(await pay(live, customer, '10.00'));
  const newestFirst = made.toReversed();
  const path = `/customers/${customer.id}/transfers`;
  const all = await callWire(live, path);
  assert.deepEqual(idsOf(all.json), newestFirst);
  assert.equal(valueAt(all.json, 'count'), 5);
  const older = await callWire(live, `${path}?limit=2&starting_after=${newestFirst[1]}`);
  assert.deepEqual(idsOf(older.json), newestFirst.slice(2, 4));
  const newer = await callWire(live, `${path}?limit=2&ending_before=${newestFirst[4]}`);
  assert.deepEqual(idsOf(newer.json), newestFirst.slice(2, 4));
  assert.equal((await callWire(live, `${path}?limit=101`)).status, 400);
  assert.equal((await callWire(live, `${path}?starting_after=${randomUUID()}`)).status, 400);
});

test('USDC goes from one wallet to another, whole, and is there once the transfer is processed', async () => {
  const [from, to] = [await createCustomer(bank), await createCustomer(bank)];
  const order = (amount: string) => ({
    on_behalf_of: from.id,
    client_reference_id: 'between',
    amount,
    source: { currency: 'usdc', payment_rail: 'bridge_wallet', bridge_wallet_id: from.walletId },
    destination: { currency: 'usdc', payment_rail: 'base', bridge_wallet_id: to.walletId },
  });
  const tooMuch = await callWire(bank, '/transfers', { body: order('10000.01') });
  assert.deepEqual([tooMuch.status, valueAt(tooMuch.json, 'code')], [400, 'insufficient_funds']);
  const { status, json, text } = await callWire(bank, '/transfers', { body: order('12.345678') });
  assert.equal(status, 201, text);
  assert.equal(valueAt(json, 'receipt.initial_amount'), '12.345678');
  assert.deepEqual([await from.balance(), await to.balance()], ['9987.654322', '10000.00']);
  await eventually('settled', async () => (await stateOf(bank, textAt(json, 'id'))) === 'payment_processed');
  assert.deepEqual([await from.balance(), await to.balance()], ['9987.654322', '10012.345678']);
  const { payments } = await bank.record();
  assert(!payments.some(({ customer_id: id }) => id === from.id), 'no account outside was paid');
});

test('a list narrowed to what changed since goes on after any transfer, shown or not', async () => {
  const customer = await createCustomer(live);
  const [first, second] = [await pay(live, customer), await pay(live, customer)];
  const since = Date.parse(textAt((await callWire(live, `/transfers/${second}`)).json, 'updated_at'));
  await live.control('/clock', { move_ms: 1_000 });
  await live.control(`/transfers/${first}/settle`);
  const path = `/customers/${customer.id}/transfers?updated_after_ms=${since}`;
  assert.deepEqual(idsOf((await callWire(live, path)).json), [first]);
  assert.deepEqual(idsOf((await callWire(live, `${path}&starting_after=${second}`)).json), [first]);
  assert.deepEqual(idsOf((await callWire(live, `${path}&starting_after=${first}`)).json), []);
});
