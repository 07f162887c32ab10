import assert from 'node:assert/strict';
import { test } from 'node:test';
import { activityLabel, activityOutcome, activityReason } from './activity-labels.ts';

const admin = 'ada@tideway.example';
const payoutId = '01999999-aaaa-7bbb-8ccc-ddddeeeeffff';

test('a refused payout is called refused, with the reason', () => {
  const refused = { action: 'payout.create', by: admin, status: 402, detail: 'insufficient_funds' };
  assert.equal(activityLabel(refused), 'Payout refused');
  assert.equal(activityReason(refused), 'Not enough USDC in the wallet');
  const created = { ...refused, status: 201, detail: payoutId };
  assert.equal(activityLabel(created), 'Payout created');
  assert.equal(activityReason(created), undefined);
});

test('a payout that waits for its code is neither created nor refused', () => {
  const waiting = { action: 'payout.create', by: admin, status: 422, detail: 'confirmation_required' };
  assert.equal(activityOutcome(waiting), 'code_sent');
  assert.equal(activityLabel(waiting), 'Payout: confirmation code emailed');
  assert.equal(activityReason(waiting), undefined);
});

test('what the bank did has no status, and is a failure only where it names an error', () => {
  const credited = { action: 'deposit.credit', by: 'bank', status: null, detail: payoutId };
  assert.equal(activityOutcome(credited), 'done');
  assert.equal(activityLabel(credited), 'Top-up credited');
  const lost = { action: 'payout.create', by: 'kp_live_ab', status: null, detail: 'payout_not_created' };
  assert.equal(activityLabel(lost), 'Payout not created');
});

test('a file that a person downloaded is called one', () => {
  const read = { action: 'statement.get', by: admin, status: 200, detail: null };
  assert.equal(activityLabel(read), 'Statement downloaded as CSV');
  assert.equal(activityLabel({ ...read, by: 'kp_live_ab' }), 'Statement read');
  assert.equal(activityLabel({ ...read, action: 'payout.export' }), 'Payouts exported as CSV');
});
