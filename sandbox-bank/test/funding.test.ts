import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { listAt, textAt, valueAt } from '@kelpie/dev/json.ts';
import { callWire, createCustomer, type Customer } from './customer.ts';
import { startSandboxBank, type SandboxBank } from './harness.ts';
import { isGenuine, startReceiver } from './receiver.ts';
import { openPlaces, sendPounds, sendUsdc } from './topping-up.ts';

const bank = await startSandboxBank({ settleAfterMs: 300 });
const slow = await startSandboxBank({ settleAfterMs: 3_600_000 });

async function historyOf(at: SandboxBank, customer: Customer, accountId: string): Promise<unknown[]> {
  const path = `/customers/${customer.id}/virtual_accounts/${accountId}/history?limit=100`;
  return listAt((await callWire(at, path)).json, 'data');
}

async function drainsOf(at: SandboxBank, customer: Customer, addressId: string): Promise<unknown[]> {
  const path = `/customers/${customer.id}/liquidation_addresses/${addressId}/drains?limit=100`;
  return listAt((await callWire(at, path)).json, 'data');
}

async function creditsOf(at: SandboxBank, customer: Customer): Promise<bigint[]> {
  const { credits } = await at.record();
  return credits.filter((credit) => credit.customer_id === customer.id).map((credit) => credit.micro_usdc);
}

test('a virtual account says where to send pounds, and is in the list of its customer', async () => {
  const customer = await createCustomer(bank);
  const { accountId, addressId } = await openPlaces(bank, customer);
  const accounts = listAt((await callWire(bank, `/customers/${customer.id}/virtual_accounts`)).json, 'data');
  assert.deepEqual(
    accounts.map((account) => textAt(account, 'id')),
    [accountId],
  );
  const notified = 'source_deposit_instructions';
  assert.match(textAt(accounts[0], `${notified}.account_number`), /^\d{8}$/);
  assert.match(textAt(accounts[0], `${notified}.sort_code`), /^\d{6}$/);
  assert.equal(textAt(accounts[0], `${notified}.account_holder_name`), 'Tideway');
  assert.equal(textAt(accounts[0], 'destination.bridge_wallet_id'), customer.walletId);
  const addresses = listAt((await callWire(bank, `/customers/${customer.id}/liquidation_addresses`)).json, 'data');
  assert.equal(textAt(addresses[0], 'id'), addressId);
  assert.match(textAt(addresses[0], 'address'), /^0x[0-9a-f]{40}$/);
});

test('pounds become USDC at the selling rate, less the fee, once; each step is an event that is told and signed', async () => {
  const receiver = await startReceiver(bank);
  const customer = await createCustomer(bank);
  const { accountId } = await openPlaces(bank, customer);
  const depositId = await sendPounds(bank, accountId, '100.00');
  // 100.00 / 0.80 = 125.00, of which 0.25% are 0.31.
  await eventually('credited', async () => (await customer.balance()) === '10124.69');
  const events = await historyOf(bank, customer, accountId);
  const steps = ['payment_processed', 'payment_submitted', 'funds_received'];
  assert.deepEqual(
    events.map((event) => textAt(event, 'type')),
    steps,
  );
  assert.deepEqual([...new Set(events.map((event) => textAt(event, 'deposit_id')))], [depositId]);
  assert.deepEqual(
    ['amount', 'currency', 'exchange_fee_amount', 'source.sender_name'].map((path) => valueAt(events[0], path)),
    ['124.69', 'usdc', '0.31', 'Tideway'],
  );
  assert.deepEqual(
    ['amount', 'currency'].map((path) => valueAt(events[2], path)),
    ['100.00', 'gbp'],
  );
  assert.deepEqual(await creditsOf(bank, customer), [124_690_000n]);
  const heard = () => receiver.received.filter(({ event }) => valueAt(event, 'event_object.deposit_id') === depositId);
  await eventually('all are told', async () => heard().length === 3);
  assert.deepEqual(
    heard().map(({ event }) => textAt(event, 'event_object.type')),
    steps.toReversed(),
  );
  for (const message of heard()) {
    assert(isGenuine(message, receiver.publicKey));
    assert.equal(textAt(message.event, 'event_type'), 'virtual_account.activity.created');
    assert.equal(textAt(message.event, 'event_object.virtual_account_id'), accountId);
  }
});

test('USDC that is sent is one drain that changes, and arrives less a cent', async () => {
  const receiver = await startReceiver(bank);
  const customer = await createCustomer(bank);
  const { addressId } = await openPlaces(bank, customer);
  const depositId = await sendUsdc(bank, addressId, '250.123456');
  await eventually('credited', async () => (await customer.balance()) === '10250.113456');
  const [drain, ...others] = await drainsOf(bank, customer, addressId);
  assert.deepEqual(others, []);
  assert.deepEqual(
    ['id', 'state', 'amount', 'receipt.gas_fee', 'receipt.final_amount'].map((path) => valueAt(drain, path)),
    [depositId, 'payment_processed', '250.123456', '0.01', '250.113456'],
  );
  await eventually('all three are told', async () => receiver.statesOf(depositId).length === 3);
  assert.deepEqual(receiver.statesOf(depositId), ['funds_received', 'payment_submitted', 'payment_processed']);
});

test('what is refunded before it was converted never reaches the wallet', async () => {
  const customer = await createCustomer(slow);
  const { accountId, addressId } = await openPlaces(slow, customer);
  for (const depositId of [await sendPounds(slow, accountId), await sendUsdc(slow, addressId)]) {
    await slow.control(`/deposits/${depositId}/hold`);
    await slow.control(`/deposits/${depositId}/refund`);
    await assert.rejects(slow.control(`/deposits/${depositId}/settle`), /invalid_state/);
  }
  assert.equal(await customer.balance(), '10000.00');
  assert.deepEqual(await creditsOf(slow, customer), []);
  const [last] = await historyOf(slow, customer, accountId);
  assert.deepEqual([valueAt(last, 'type'), valueAt(last, 'currency')], ['refunded', 'gbp']);
});

test('what is refunded after it was credited is taken from the wallet again, once, even below nothing', async () => {
  const customer = await createCustomer(slow);
  const { accountId } = await openPlaces(slow, customer);
  const depositId = await sendPounds(slow, accountId, '100.00');
  await slow.control(`/deposits/${depositId}/settle`);
  await slow.control(`/wallets/${customer.walletId}/adjust`, { micro_usdc: -10_100_000_000 });
  await slow.control(`/deposits/${depositId}/refund`);
  assert.equal(await customer.balance(), '-100.00');
  await assert.rejects(slow.control(`/deposits/${depositId}/refund`), /invalid_state/);
  const { reversals } = await slow.record();
  assert.deepEqual(
    reversals.filter((reversal) => reversal.deposit_id === depositId).map((reversal) => reversal.micro_usdc),
    [124_690_000n],
  );
});

test('what is forgotten is in no list until it is remembered, and settles all the same', async () => {
  const customer = await createCustomer(slow);
  const { accountId, addressId } = await openPlaces(slow, customer);
  const [pounds, tokens] = [await sendPounds(slow, accountId), await sendUsdc(slow, addressId)];
  for (const depositId of [pounds, tokens]) {
    await slow.control(`/deposits/${depositId}/forget`);
    await slow.control(`/deposits/${depositId}/settle`);
  }
  assert.deepEqual(await historyOf(slow, customer, accountId), []);
  assert.deepEqual(await drainsOf(slow, customer, addressId), []);
  assert.equal((await creditsOf(slow, customer)).length, 2);
  for (const depositId of [pounds, tokens]) await slow.control(`/deposits/${depositId}/remember`);
  assert.equal((await historyOf(slow, customer, accountId)).length, 2);
  assert.equal((await drainsOf(slow, customer, addressId)).length, 1);
});

test('a person sends top-ups on the page, and no other page can', async () => {
  const customer = await createCustomer(slow);
  const { accountId, addressId } = await openPlaces(slow, customer);
  const post = async (path: string, form: Record<string, string>, origin = slow.url): Promise<Response> =>
    fetch(slow.url + path, {
      method: 'POST',
      body: new URLSearchParams(form),
      headers: { origin },
      redirect: 'manual',
    });
  const pounds = { place: accountId, amount: '12.50', sender_name: 'Ada <Byron>', reference: 'Top & up' };
  assert.equal((await post('/page/top-ups/gbp', pounds)).status, 303);
  assert.equal((await post('/page/top-ups/usdc', { place: addressId, amount: '7' })).status, 303);
  assert.equal((await post('/page/top-ups/gbp', pounds, 'http://elsewhere.test')).status, 401);
  assert.equal((await post('/page/top-ups/usdc', { place: addressId, amount: '0.50' })).status, 400);
  const html = await (await fetch(slow.url)).text();
  assert.match(html, /£12\.50/);
  assert.match(html, /7\.00 USDC/);
  assert(html.includes('Top &amp; up') && !html.includes('<Byron>'));
  const [drain] = await drainsOf(slow, customer, addressId);
  assert.equal((await post(`/page/deposits/${textAt(drain, 'id')}/settle`, {})).status, 303);
  assert.equal(await customer.balance(), '10006.99');
});

test('a wallet that stands in for a live one is opened empty', async () => {
  const live = await startSandboxBank({ mode: 'live-stand-in' });
  const customer = await callWire(live, '/customers', {
    body: { type: 'business', business_name: 'Tideway', email: 'a@tide.test' },
  });
  const path = `/customers/${textAt(customer.json, 'id')}/wallets`;
  const { json } = await callWire(live, path, { body: { chain: 'base' } });
  assert.equal(textAt(json, 'balances.0.balance'), '0.00');
});
