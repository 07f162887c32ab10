import assert from 'node:assert/strict';
import { test } from 'node:test';
import { textAt, valueAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { createTestDatabase } from '../../harness/database.ts';
import { createFundedPartner, plantLimits } from '../../harness/limited-payouts.ts';
import type { TestPartner } from '../../harness/partners.ts';
import { asSecondPerson, kelpieAdmin } from './kelpie-admin.ts';

// How far a partner's admins can raise their limits: one operator lowers it, two raise it.

const database = await createTestDatabase();

const slugOf = ({ partnerId }: TestPartner): string => `p-${partnerId.slice(-12)}`;

async function limitsOf({ partnerId }: TestPartner): Promise<unknown> {
  const { rows } = await asAdmin(database.superuserUrl, async (client) =>
    client.query<{ limits: string }>(
      `select array_to_string(array[daily_pence, new_payee_pence, highest_daily_pence] , ' ') as limits
       from kelpie.limits_of($1, 'live')`,
      [partnerId],
    ),
  );
  return rows[0]?.limits;
}

const set = (partner: TestPartner, highest: string) =>
  ['limits', 'set', slugOf(partner), '--highest', highest, '--reason', 'a test', '--json'] as const;

test('one operator lowers the highest limit, and the limits above it with it', async () => {
  const partner = await createFundedPartner(database);
  await plantLimits(database, partner, { daily: '45000.00', newPayee: '30000.00', highest: '50000.00' });
  const lowered = await kelpieAdmin(database, set(partner, '35000.00'));
  assert.equal(lowered.code, 0, lowered.said);
  assert.equal(await limitsOf(partner), '3500000 3000000 3500000');
  const shown = await kelpieAdmin(database, ['limits', 'show', slugOf(partner)]);
  assert.match(shown.said, /account {4}35000\.00 GBP, 0\.00 GBP spent today/);
  assert.match(shown.said, /highest {4}35000\.00 GBP/);
});

test('raising it takes a second operator, and leaves the limits to the admins', async () => {
  const partner = await createFundedPartner(database);
  const proposed = await kelpieAdmin(database, set(partner, '80000.00'));
  assert.equal(proposed.code, 0, proposed.said);
  assert.equal(await limitsOf(partner), '5000000 2000000 5000000', 'only proposed');
  const approve = ['approvals', 'approve', textAt(proposed.data(), 'id'), '--json'];
  const own = await kelpieAdmin(database, approve);
  assert.equal(valueAt(own.json(), 'error.code'), 'second_operator_required');
  const approved = await kelpieAdmin(database, approve, asSecondPerson(database));
  assert.equal(approved.code, 0, approved.said);
  assert.equal(await limitsOf(partner), '5000000 2000000 8000000');
});

test('a raise is refused where the highest limit is no longer what it was', async () => {
  const partner = await createFundedPartner(database);
  const proposed = await kelpieAdmin(database, set(partner, '80000.00'));
  await kelpieAdmin(database, set(partner, '30000.00'));
  const approve = ['approvals', 'approve', textAt(proposed.data(), 'id'), '--json'];
  const refused = await kelpieAdmin(database, approve, asSecondPerson(database));
  assert.deepEqual([refused.code, valueAt(refused.json(), 'error.code')], [2, 'revision_changed'], refused.said);
  assert.equal(await limitsOf(partner), '3000000 2000000 3000000');
});

test('no operator sets it below one payout of the largest amount', async () => {
  const partner = await createFundedPartner(database);
  const refused = await kelpieAdmin(database, set(partner, '19999.99'));
  assert.equal(refused.code, 64, refused.said);
  assert.equal(await limitsOf(partner), '5000000 2000000 5000000');
});
