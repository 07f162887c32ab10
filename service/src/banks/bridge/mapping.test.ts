import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { recipientWith } from '../../../test/banks/bank-contract.ts';
import type { HttpExchange } from '../http-exchange.ts';
import { payeeName } from '../payee-name.ts';
import {
  balanceFrom,
  cancelOutcome,
  externalAccountBody,
  findOutcome,
  openedFrom,
  pageFrom,
  paymentFrom,
  rateFrom,
  registerOutcome,
  sendOutcome,
} from './mapping.ts';
import { valueAt } from './wire-values.ts';

function answered(status: number, body: unknown): HttpExchange {
  return { kind: 'answered', status, body: typeof body === 'string' ? body : JSON.stringify(body) };
}

const transfer = { id: 't1', state: 'pending', client_reference_id: 'p1', receipt: { initial_amount: '108.36' } };
const bankError = (code: string, key?: string): object => ({
  code,
  message: 'No.',
  ...(key === undefined ? {} : { source: { location: 'body', key } }),
});

test('any 2xx with a transfer is accepted, with what the bank took', () => {
  for (const status of [200, 201, 202]) {
    assert.deepEqual(sendOutcome(answered(status, transfer)), {
      kind: 'accepted',
      payment: {
        id: 't1',
        ourReference: 'p1',
        state: 'accepted',
        bankState: 'pending',
        taken: 108_360_000n,
        refunded: null,
        failure: null,
        networkFee: null,
        returnFee: null,
        pays: null,
        recipientId: null,
        bankReference: null,
        createdAt: null,
        changedAt: null,
      },
    });
  }
});

test('a receipt of zero is an amount that was not said', () => {
  const receipt = { initial_amount: '0.00', refunded_amount: 0 };
  const payment = paymentFrom({ ...transfer, receipt });
  assert.deepEqual([payment?.taken, payment?.refunded], [null, null]);
});

test('a record has what the recipient gets, and when the bank made and changed it, as far as it says', () => {
  const times = { created_at: '2026-11-15T12:00:00Z', updated_at: '2026-11-15T12:00:01.5Z' };
  const record = paymentFrom({ ...transfer, ...times, destination: { amount: '85.00' } });
  assert.deepEqual(
    [record?.pays, record?.createdAt?.toISOString(), record?.changedAt?.toISOString()],
    [8_500n, '2026-11-15T12:00:00.000Z', '2026-11-15T12:00:01.500Z'],
  );
  const spoilt = paymentFrom({ ...transfer, created_at: 'soon', updated_at: 7, destination: { amount: '1e3' } });
  assert.deepEqual([spoilt?.pays, spoilt?.createdAt, spoilt?.changedAt], [null, null, null]);
});

function wallet(...balances: readonly object[]): bigint | null {
  return balanceFrom(answered(200, { id: 'w1', balances }));
}

function usdc(balance: unknown): object {
  return { currency: 'usdc', chain: 'base', balance };
}

test('a wallet holds the USDC that it lists, to the last digit and below zero too; a list without any says nothing', () => {
  assert.equal(wallet(usdc('10.000001')), 10_000_001n);
  assert.equal(wallet(usdc('-0.01')), -10_000n);
  assert.equal(wallet(usdc('0')), 0n);
  assert.equal(wallet(usdc('1.5'), { currency: 'eurc', balance: '9' }, usdc(2)), 3_500_000n);
  assert.equal(wallet(), null);
  for (const balance of ['', 'x', '1e3', '--1', '1.0000001', null, {}]) assert.equal(wallet(usdc(balance)), null);
  for (const answer of [answered(500, {}), answered(200, 'no'), answered(200, { balances: 7 })])
    assert.equal(balanceFrom(answer), null);
});

test('a 2xx with the id of a transfer is accepted, whatever else of it can not be read', () => {
  const outcome = sendOutcome(answered(201, { id: 't1' }));
  assert(outcome.kind === 'accepted' && outcome.payment.id === 't1' && outcome.payment.state === 'accepted');
});

test('only a request of which no byte left is unreachable', () => {
  assert.equal(sendOutcome({ kind: 'not_sent', text: 'ECONNREFUSED' }).kind, 'unreachable');
  assert.equal(sendOutcome({ kind: 'lost', text: 'deadline' }).kind, 'unknown');
});

test("what is neither a transfer nor a refusal in the bank's own form is unknown", () => {
  const nonsense: unknown[] = [
    '',
    '{"id":',
    '<html>',
    '[]',
    'null',
    '1',
    {},
    { id: 5, state: 'pending' },
    { id: '', state: 'pending' },
  ];
  for (const body of nonsense) {
    for (const status of [200, 201, 302, 400, 403, 404, 422, 500, 502, 503]) {
      assert.equal(sendOutcome(answered(status, body)).kind, 'unknown', `${status} ${JSON.stringify(body)}`);
    }
  }
  assert.equal(sendOutcome(answered(500, bankError('internal'))).kind, 'unknown');
});

function kindOf(status: number, code: string): string {
  const outcome = sendOutcome(answered(status, bankError(code)));
  return outcome.kind === 'rejected' ? outcome.reason : outcome.kind;
}

test('a refusal is definite, unless it refuses a repeat of something that the bank took earlier', () => {
  assert.equal(kindOf(400, 'external_account_rejected'), 'account_details');
  assert.equal(kindOf(400, 'insufficient_funds'), 'insufficient_funds');
  assert.equal(kindOf(400, 'invalid_parameters'), 'other');
  assert.equal(kindOf(404, 'not_found'), 'other');
  assert.equal(kindOf(401, 'unauthorized'), 'other');
  assert.equal(kindOf(429, 'too_many_requests'), 'other');
  assert.equal(kindOf(422, 'idempotency_key_reused'), 'unknown');
  assert.equal(kindOf(422, 'idempotency_key_expired'), 'unknown');
  assert.equal(kindOf(422, 'invalid_parameters'), 'unknown', 'a 422 that does not say what it is about');
  assert.equal(kindOf(499, 'client_closed_request'), 'unknown');
  const aboutKey = { ...bankError('invalid_parameters'), source: { location: 'header', key: 'Idempotency-Key' } };
  assert.equal(sendOutcome(answered(400, aboutKey)).kind, 'unknown');
  assert.equal(sendOutcome(answered(422, bankError('invalid_parameters', 'destination.amount'))).kind, 'rejected');
  assert.equal(kindOf(408, 'timeout'), 'unknown');
  assert.equal(kindOf(409, 'conflict'), 'unknown');
});

test("each of the bank's states has its meaning, and one that we do not know needs a person", () => {
  const meanings = {
    awaiting_funds: 'accepted',
    pending: 'accepted',
    in_review: 'under_way',
    funds_received: 'under_way',
    payment_submitted: 'under_way',
    payment_processed: 'arrived',
    undeliverable: 'undeliverable',
    returned: 'coming_back',
    refund_in_flight: 'coming_back',
    refunded: 'refunded',
    canceled: 'cancelled',
    error: 'needs_attention',
    refund_failed: 'needs_attention',
    missing_return_policy: 'needs_attention',
    something_new: 'needs_attention',
    constructor: 'needs_attention',
  };
  for (const [bankState, state] of Object.entries(meanings)) {
    assert.equal(paymentFrom({ ...transfer, state: bankState })?.state, state, bankState);
  }
});

test('faults 20: no answer, whatever it holds, makes the mapping throw or say that a payment did not happen', () => {
  const anyAnswer = fc.record({
    status: fc.integer({ min: 100, max: 599 }),
    body: fc.oneof(
      fc.string(),
      fc.json(),
      fc.object().map((value) => JSON.stringify(value)),
    ),
  });
  fc.assert(
    fc.property(anyAnswer, ({ status, body }) => {
      const answer = answered(status, body);
      assert.equal(sendOutcome(answer).kind, 'unknown');
      assert.equal(findOutcome(answer).kind, 'unknown');
      assert.equal(cancelOutcome(answer).kind, 'unknown');
      assert.equal(registerOutcome(answer).kind, 'failed');
      assert.equal(rateFrom(answer), null);
    }),
    { numRuns: 5_000 },
  );
});

test('a recipient is rejected for its account details, and fails for anything else', () => {
  assert.deepEqual(registerOutcome(answered(201, { id: 'r1' })), { kind: 'registered', recipientId: 'r1' });
  assert.equal(registerOutcome(answered(400, bankError('invalid_parameters', 'account.sort_code'))).kind, 'rejected');
  assert.equal(registerOutcome(answered(400, bankError('invalid_account_number'))).kind, 'rejected');
  assert.equal(registerOutcome(answered(400, bankError('invalid_parameters', 'address.city'))).kind, 'refused');
  assert.equal(registerOutcome(answered(500, '')).kind, 'failed');
  assert.equal(registerOutcome({ kind: 'lost', text: 'deadline' }).kind, 'failed');
});

test('a customer or a wallet is opened where the answer has its id, and anything else is tried again', () => {
  assert.deepEqual(openedFrom(answered(201, { id: 'c1', status: 'active' })), { kind: 'opened', id: 'c1' });
  const unclear = [
    answered(200, {}),
    answered(201, { id: 7 }),
    answered(201, '<html>'),
    answered(422, { ...bankError('duplicate_record'), id: 'c1' }),
    answered(503, { id: 'c1' }),
    { kind: 'not_sent', text: 'circuit open' } as const,
  ];
  for (const answer of unclear) assert.equal(openedFrom(answer).kind, 'failed', JSON.stringify(answer));
});

test("a payment that the bank does not know is absent only in the bank's own words", () => {
  assert.deepEqual(findOutcome(answered(404, bankError('not_found'))), { kind: 'absent' });
  assert.equal(findOutcome(answered(404, '<html>')).kind, 'unknown');
});

test("a payment is cancelled only where the bank's record says so", () => {
  assert.equal(cancelOutcome(answered(200, { ...transfer, state: 'canceled' })).kind, 'cancelled');
  assert.equal(cancelOutcome(answered(200, transfer)).kind, 'unknown');
  assert.equal(cancelOutcome(answered(400, bankError('invalid_state'))).kind, 'too_late');
});

test('a list with a row that can not be read is no list: the payment looked for might be that row', () => {
  assert.equal(pageFrom(answered(200, { count: 2, data: [transfer, {}] })), null);
  assert.equal(pageFrom(answered(500, '')), null);
});

test('a list ends with an empty page: after a short one, more may come', () => {
  assert.deepEqual(pageFrom(answered(200, { count: 1, data: [{ ...transfer, id: 't2' }] }))?.next, 't2');
  assert.deepEqual(pageFrom(answered(200, { count: 0, data: [] }))?.next, null);
});

test('the rate is the side that gives fewer pounds', () => {
  assert.equal(rateFrom(answered(200, { midmarket_rate: '0.795', buy_rate: '0.79', sell_rate: '0.80' })), 790_000n);
  assert.equal(rateFrom(answered(200, { buy_rate: 0.81, sell_rate: '0.80' })), 800_000n);
  assert.equal(rateFrom(answered(200, { buy_rate: '0.79' })), null);
});

function withSides(buy: unknown, sell: unknown) {
  return rateFrom(answered(200, { buy_rate: buy, sell_rate: sell }));
}

test('a rate that pounds for a dollar can not have is none, so that nothing is reckoned with it', () => {
  assert.equal(withSides(7, 7), null);
  assert.equal(withSides('0.79', '79'), null);
  assert.equal(withSides('0.0079', '0.79'), null);
  assert.equal(withSides('0.400000', '1.200000'), 400_000n);
});

const recipient = recipientWith();

test('a name that is too long for the rail ends at a word', () => {
  assert.equal(payeeName('Ada Byron'), 'Ada Byron');
  assert.equal(payeeName('  Ada   Byron '), 'Ada Byron');
  assert.equal(payeeName('Maximiliana Wolfeschlegelstein von und zu'), 'Maximiliana Wolfeschlegelstein von');
  assert.equal(payeeName('x'.repeat(80)), 'x'.repeat(35));
  fc.assert(fc.property(fc.string({ maxLength: 170 }), (name) => Array.from(payeeName(name)).length <= 35));
});

test('an address is sent where the bank takes it, and left out where its street is too short', () => {
  assert.deepEqual(valueAt(externalAccountBody(recipient), 'address', 'country'), 'GBR');
  const short = { ...recipient, address: { ...recipient.address, line1: '1 A' } };
  assert.equal(valueAt(externalAccountBody(short), 'address'), undefined);
  const long = { ...recipient, address: { ...recipient.address, line1: 'x'.repeat(80) } };
  assert.equal(valueAt(externalAccountBody(long), 'address', 'street_line_1'), 'x'.repeat(35));
});

test('a text that the bank would refuse is sent as it takes it: on one line, not too long, and not blank', () => {
  const odd = recipientWith({
    firstName: ' ',
    lastName: 'de\n la\tCruz',
    bankName: '\u00a0',
    address: { line1: '1 High\nStreet', line2: null, city: 'x'.repeat(300), region: ' ', postalCode: 'LS1\r\n1AA' },
  });
  const body = externalAccountBody(odd);
  assert.deepEqual(
    ['first_name', 'last_name', 'account_owner_name', 'bank_name'].map((field) => valueAt(body, field)),
    ['de la Cruz', 'de la Cruz', 'de la Cruz', undefined],
  );
  assert.deepEqual(valueAt(body, 'address'), {
    street_line_1: '1 High Street',
    city: 'x'.repeat(200),
    postal_code: 'LS1 1AA',
    country: 'GBR',
  });
});

test('a name is never cut through a character', () => {
  assert.equal(payeeName('👩'.repeat(80)), '👩'.repeat(35));
});
