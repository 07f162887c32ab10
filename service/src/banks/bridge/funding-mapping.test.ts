import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { HttpExchange } from '../http-exchange.ts';
import type { DepositLine } from '../port/funding.ts';
import { depositPageFrom, existingIn, accountFrom, openAccountOutcome, openAddressOutcome } from './funding-mapping.ts';

function answered(status: number, body: unknown): HttpExchange {
  return { kind: 'answered', status, body: typeof body === 'string' ? body : JSON.stringify(body) };
}

const account = {
  id: 'va1',
  status: 'activated',
  source_deposit_instructions: {
    currency: 'gbp',
    account_number: '12345678',
    sort_code: '04-06-68',
    account_holder_name: 'Tideway',
    bank_name: 'Bank',
  },
  destination: { bridge_wallet_id: 'w1' },
};

test('an account says where pounds are sent, and one that leads elsewhere, is closed or lacks its number is none', () => {
  assert.deepEqual(openAccountOutcome(answered(201, account), 'w1'), {
    kind: 'opened',
    sourceId: 'va1',
    details: {
      accountHolderName: 'Tideway',
      accountNumber: '12345678',
      sortCode: '040668',
      bankName: 'Bank',
      bankAddress: null,
    },
  });
  const wrong = [
    { ...account, destination: { bridge_wallet_id: 'w2' } },
    { ...account, status: 'deactivated' },
    { ...account, source_deposit_instructions: { ...account.source_deposit_instructions, account_number: '1' } },
    { ...account, source_deposit_instructions: { ...account.source_deposit_instructions, currency: 'usd' } },
  ];
  for (const body of wrong) assert.equal(openAccountOutcome(answered(201, body), 'w1').kind, 'failed');
  assert.equal(openAccountOutcome(answered(500, account), 'w1').kind, 'failed');
});

const read = (entry: unknown) => accountFrom(entry, 'w1');

test('what the customer has already is found in its list; a list that can not be read is not an empty one', () => {
  const others = [{ ...account, id: 'va0', status: 'deactivated' }, account];
  const found = existingIn(answered(200, { count: 2, data: others }), read);
  assert(found.kind === 'listed' && found.found?.sourceId === 'va1');
  assert.deepEqual(existingIn(answered(200, { data: [] }), read), { kind: 'listed', found: undefined });
  for (const nonsense of ['', '[]', '{}', '{"data":7}', '<html>'])
    assert.equal(existingIn(answered(200, nonsense), read).kind, 'failed', nonsense);
});

test('an address counts for the chain and the token that we take, and for no other', () => {
  const address = { id: 'la1', chain: 'base', currency: 'usdc', address: '0xabc', bridge_wallet_id: 'w1' };
  assert.deepEqual(openAddressOutcome(answered(200, address), 'w1'), {
    kind: 'opened',
    sourceId: 'la1',
    chain: 'base',
    address: '0xabc',
  });
  for (const change of [{ chain: 'ethereum' }, { currency: 'usdt' }, { bridge_wallet_id: 'w2' }, { address: '' }])
    assert.equal(openAddressOutcome(answered(200, { ...address, ...change }), 'w1').kind, 'failed');
});

function lineOf(method: 'bank_transfer' | 'usdc', entry: object): DepositLine {
  const page = depositPageFrom(answered(200, { data: [entry] }), method, 100);
  const [line] = page?.lines ?? [];
  assert(line !== undefined, JSON.stringify(entry));
  return line;
}

const activity = {
  id: 'e1',
  type: 'payment_processed',
  deposit_id: 'd1',
  amount: '124.69',
  currency: 'usdc',
  exchange_fee_amount: '0.31',
  developer_fee_amount: '0.0',
  gas_fee: 0,
  source: { sender_name: 'Ada', sender_account_number: '55779911', description: 'Top-up' },
  created_at: '2026-11-15T12:00:00Z',
};

test('an event of an account is pounds until it was converted, and USDC net of its fees from then on', () => {
  assert.deepEqual(lineOf('bank_transfer', activity), {
    id: 'e1',
    at: new Date('2026-11-15T12:00:00Z'),
    changedAt: new Date('2026-11-15T12:00:00Z'),
    mayChange: false,
    event: {
      depositId: 'd1',
      bankState: 'payment_processed',
      state: 'processed',
      wasProcessed: true,
      sentPence: null,
      net: 124_690_000n,
      fee: 310_000n,
      sender: { name: 'Ada', accountLast4: '9911', address: null, reference: 'Top-up' },
    },
  });
  const received = lineOf('bank_transfer', { ...activity, type: 'funds_received', amount: '100.0', currency: 'gbp' });
  assert.deepEqual(
    [received.event?.state, received.event?.sentPence, received.event?.net],
    ['arriving', 10_000n, null],
  );
});

test("each of the bank's words has its meaning, one that we do not know is for a person, and some are about no deposit", () => {
  const meanings = {
    funds_scheduled: 'arriving',
    funds_received: 'arriving',
    in_review: 'arriving',
    payment_submitted: 'arriving',
    payment_processed: 'processed',
    refunded: 'refunded',
    something_new: 'needs_attention',
    constructor: 'needs_attention',
  };
  for (const [type, state] of Object.entries(meanings))
    assert.equal(lineOf('bank_transfer', { ...activity, type }).event?.state, state, type);
  for (const type of ['account_update', 'deactivation', 'microdeposit'])
    assert.equal(lineOf('bank_transfer', { ...activity, type }).event, null);
  assert.equal(lineOf('bank_transfer', { ...activity, deposit_id: null }).event, null);
});

const drain = {
  id: 'd2',
  state: 'payment_processed',
  amount: '250.0',
  currency: 'usdc',
  from_address: '0xdef',
  receipt: { initial_amount: '250.0', gas_fee: '0.01', exchange_fee: '0', final_amount: '249.99' },
  created_at: '2026-11-15T12:00:00Z',
};

test('a drain brings what its receipt says, and nothing that we would have to reckon', () => {
  const { event, mayChange } = lineOf('usdc', drain);
  assert.deepEqual(
    [event?.depositId, event?.state, event?.net, event?.fee, mayChange],
    ['d2', 'processed', 249_990_000n, 10_000n, false],
  );
  assert.equal(event?.sender?.address, '0xdef');
  const gone = { ...drain, state: 'refunded' };
  assert.equal(lineOf('usdc', gone).event?.wasProcessed, false);
  assert.equal(lineOf('usdc', { ...gone, destination_tx_hash: '0x1' }).event?.wasProcessed, true);
  const without = lineOf('usdc', { ...drain, receipt: {} });
  assert.deepEqual([without.event?.state, without.event?.net], ['processed', null]);
  assert.equal(lineOf('usdc', { ...drain, state: 'payment_submitted' }).mayChange, true);
});

test('an amount of a receipt that is not one is none', () => {
  for (const amount of ['-1', '1e3', 'NaN', '0', '', 'x', '1.1234567'])
    assert.equal(lineOf('usdc', { ...drain, receipt: { final_amount: amount } }).event?.net, null, amount);
});

test('a list goes on only where a page is full, and one with a line that can not be read is none', () => {
  const page = depositPageFrom(answered(200, { data: [activity, { ...activity, id: 'e0' }] }), 'bank_transfer', 2);
  assert.equal(page?.next, 'e0');
  assert.equal(depositPageFrom(answered(200, { data: [activity] }), 'bank_transfer', 2)?.next, null);
  assert.equal(depositPageFrom(answered(200, { data: [activity, { id: 7 }] }), 'bank_transfer', 2), null);
  assert.equal(depositPageFrom(answered(404, { code: 'not_found', message: 'no' }), 'usdc', 2), null);
});

test('whatever the bank says, nothing is thrown, and no amount is below zero', () => {
  fc.assert(
    fc.property(fc.constantFrom('bank_transfer', 'usdc'), fc.jsonValue(), fc.jsonValue(), (method, one, other) => {
      for (const body of [
        one,
        { data: one },
        { data: [one, other] },
        { data: [{ ...activity, amount: one, source: other }] },
      ]) {
        const page = depositPageFrom(answered(200, body), method, 100);
        for (const { event } of page?.lines ?? [])
          for (const amount of [event?.net, event?.fee, event?.sentPence])
            assert(!(typeof amount === 'bigint' && amount < 0n));
      }
    }),
    { numRuns: 500 },
  );
});
