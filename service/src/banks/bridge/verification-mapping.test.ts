import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { HttpExchange } from '../http-exchange.ts';
import type { Verification } from '../port/customers.ts';
import { findVerificationOutcome, startOutcome } from './verification-mapping.ts';

function answered(status: number, body: unknown): HttpExchange {
  return { kind: 'answered', status, body: typeof body === 'string' ? body : JSON.stringify(body) };
}

const link = {
  id: 'k1',
  type: 'business',
  full_name: 'Tideway',
  kyc_link: 'https://bank.test/verify/k1',
  tos_link: 'https://bank.test/verify/k1/terms',
  kyc_status: 'not_started',
  tos_status: 'pending',
  rejection_reasons: [],
  customer_id: null,
};

function found(change: object): Verification {
  const outcome = findVerificationOutcome(answered(200, { ...link, ...change }));
  assert(outcome.kind === 'found', JSON.stringify(change));
  return outcome.verification;
}

test('a verification that was started says where to go on and where the terms are', () => {
  for (const status of [200, 201]) {
    assert.deepEqual(startOutcome(answered(status, link), { name: 'Tideway' }), {
      kind: 'started',
      verification: {
        id: 'k1',
        continueUrl: 'https://bank.test/verify/k1',
        termsUrl: 'https://bank.test/verify/k1/terms',
        providerStatus: 'not_started',
        reasons: [],
        state: 'action_required',
        customerId: null,
      },
    });
  }
});

test("each of the bank's words has its meaning once the terms are accepted, and one that we do not know is no answer yet", () => {
  const meanings = {
    not_started: 'action_required',
    incomplete: 'action_required',
    awaiting_questionnaire: 'action_required',
    awaiting_ubo: 'action_required',
    under_review: 'in_review',
    paused: 'in_review',
    approved: 'approved',
    rejected: 'rejected',
    offboarded: 'rejected',
    something_new: 'in_review',
    constructor: 'in_review',
  };
  for (const [word, state] of Object.entries(meanings)) {
    const verification = found({ kyc_status: word, tos_status: 'approved', customer_id: 'c1' });
    assert.deepEqual([verification.state, verification.providerStatus], [state, word]);
  }
});

test('approved is only what the bank approved, with the terms accepted and a customer to open a wallet for', () => {
  const approved = { kyc_status: 'approved', tos_status: 'approved', customer_id: 'c1' };
  const verification = found(approved);
  assert.deepEqual([verification.state, verification.customerId], ['approved', 'c1']);
  assert.equal(found({ ...approved, tos_status: 'pending' }).state, 'action_required');
  for (const tosStatus of [null, '', 7, 'something_new']) {
    assert.equal(found({ ...approved, tos_status: tosStatus }).state, 'in_review');
  }
  for (const customerId of [null, undefined, '', 7]) {
    assert.equal(found({ ...approved, customer_id: customerId }).state, 'in_review');
  }
});

test('a customer that the bank names from the beginning is no approval', () => {
  const early = found({ customer_id: 'c1' });
  assert.deepEqual([early.state, early.customerId], ['action_required', 'c1']);
});

test('a refusal stands, whatever became of the terms', () => {
  for (const tosStatus of ['pending', 'approved', null]) {
    assert.equal(found({ kyc_status: 'rejected', tos_status: tosStatus }).state, 'rejected');
  }
});

test('only addresses that a browser can be sent to without harm are passed on', () => {
  for (const address of ['javascript:alert(1)', 'data:text/html,x', 'www.kyclink.com/blah', '', null, 7]) {
    const { continueUrl, termsUrl } = found({ kyc_link: address, tos_link: address });
    assert.deepEqual([continueUrl, termsUrl], [null, null]);
  }
});

function reported(reasons: unknown): string[] {
  return found({ rejection_reasons: reasons }).reasons;
}

test('reasons are told in the words for the business, in texts or in objects, and not without end', () => {
  assert.deepEqual(reported([{ reason: 'Unreadable.', developer_reason: 'Looks forged.' }, 'Too old.']), [
    'Unreadable.',
    'Too old.',
  ]);
  assert.deepEqual(reported([{ developer_reason: 'Looks forged.' }, null, 7, '']), []);
  assert.deepEqual(reported('No.'), []);
  assert.deepEqual(reported(Array.from({ length: 100 }, () => 'x'.repeat(1_000))), Array(10).fill('x'.repeat(300)));
});

function second(existing: object, code = 'duplicate_record') {
  const bankError = { code, message: 'There is one.', existing_kyc_link: { ...link, ...existing } };
  return startOutcome(answered(400, bankError), { name: 'Tideway' }).kind;
}

test('a second try finds the verification that the first has started', () => {
  assert.equal(second({}), 'started');
  assert.equal(second({ full_name: ' tideway ' }), 'started');
});

test("another business's verification under the same email is never taken for this one's", () => {
  for (const fullName of ['Other', '', null, undefined]) assert.equal(second({ full_name: fullName }), 'failed');
  assert.equal(second({ type: 'individual' }), 'failed');
  assert.equal(second({}, 'invalid_parameters'), 'failed');
});

test('what is not clear is not started, and not known', () => {
  const unclear: HttpExchange[] = [
    answered(200, {}),
    answered(201, { ...link, id: 7 }),
    answered(201, { id: 'k1' }),
    answered(201, '<html>'),
    answered(404, { code: 'not_found', message: 'None.' }),
    answered(500, link),
    { kind: 'not_sent', text: 'circuit open' },
    { kind: 'lost', text: 'deadline' },
  ];
  for (const answer of unclear) {
    assert.equal(startOutcome(answer, { name: 'Tideway' }).kind, 'failed', JSON.stringify(answer));
    assert.equal(findVerificationOutcome(answer).kind, 'unknown', JSON.stringify(answer));
  }
});

test('no answer, whatever it holds, makes the mapping throw', () => {
  const anyBody = fc.oneof(
    fc.string(),
    fc.json(),
    fc.object().map((value) => JSON.stringify(value)),
  );
  fc.assert(
    fc.property(fc.integer({ min: 100, max: 599 }), anyBody, (status, body) => {
      assert.equal(startOutcome(answered(status, body), { name: 'Tideway' }).kind, 'failed');
      assert.equal(findVerificationOutcome(answered(status, body)).kind, 'unknown');
    }),
    { numRuns: 2_000 },
  );
});

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

test('no KYC link, whatever its fields hold, is approved without the three words that make it so', () => {
  const spoilt = fc.dictionary(fc.constantFrom(...Object.keys(link)), fc.jsonValue());
  fc.assert(
    fc.property(spoilt, (change) => {
      const body = { ...link, kyc_status: 'approved', tos_status: 'approved', customer_id: 'c1', ...change };
      const outcome = findVerificationOutcome(answered(200, body));
      const state = outcome.kind === 'found' ? outcome.verification.state : 'none';
      const isApproved = body.kyc_status === 'approved' && body.tos_status === 'approved';
      assert.equal(state === 'approved', isApproved && isText(body.id) && isText(body.customer_id));
    }),
    { numRuns: 2_000 },
  );
});
