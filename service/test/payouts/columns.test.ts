import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { ledgerEvents } from '../../src/ledger/index.ts';
import { createCommits } from '../../src/payouts/records/commits.ts';
import type { NewPayout } from '../../src/payouts/records/create-payouts.ts';
import type { Transition } from '../../src/payouts/model/transition.ts';
import { isVisibleState, type PayoutState } from '../../src/payouts/model/payout.ts';
import { findPayout } from '../../src/payouts/records/payout-store.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { noFailpoint } from '../../src/platform/failpoint.ts';
import { openPool } from '../../src/platform/database/pool.ts';
import { createSingleCalls } from '../../src/platform/database/single-call.ts';
import { newId } from '../../src/platform/ids.ts';
import { createLogger } from '../../src/platform/logging.ts';
import { createTestDatabase } from '../harness/database.ts';
import { createSimulatedPartner } from '../harness/partners.ts';
import { plantPayout } from '../harness/planted-payout.ts';

// No two values are the same, so that two columns that changed places would show.

const database = await createTestDatabase();
const logger = createLogger('test', 'silent');
const pool = openPool({ url: database.serviceUrl, connections: 2, applicationName: 'test', logger });
after(async () => pool.end());
const calls = createSingleCalls(pool, noFailpoint);
const commits = createCommits(calls, systemClock);
const partner = await createSimulatedPartner(database);

async function rowsOf(sql: string, values: readonly unknown[]): Promise<Record<string, unknown>[]> {
  return asAdmin(database.superuserUrl, async (client) => {
    const { rows } = await client.query<Record<string, unknown>>(sql, [...values]);
    return rows;
  });
}

async function rowOf(sql: string, values: readonly unknown[]): Promise<Record<string, unknown>> {
  const [row, ...more] = await rowsOf(sql, values);
  assert(row !== undefined && more.length === 0);
  return row;
}

const at = new Date('2026-11-15T10:00:00.001Z');
const leasedUntil = new Date('2026-11-15T10:00:00.002Z');
const dueAt = new Date('2026-11-15T10:00:00.003Z');

function newPayout(): NewPayout {
  return {
    payout: {
      id: newId(systemClock),
      partnerId: partner.partnerId,
      environment: 'sandbox',
      rail: 'simulated',
      state: 'failed',
      idempotencyKey: `key-${randomUUID()}`,
      orderId: randomUUID(),
      reference: 'a reference',
      bankReference: 'BANK REFERENCE',
      amount: 1_001n,
      fee: 304n,
      providerFee: 203n,
      walletDebit: 1_920_005n,
      rate: 790_006n,
      pricePlan: 'standard-1',
      recipientName: 'Ada Byron',
      accountLast4: '5678',
      recipientEncrypted: randomBytes(40),
      accountIndex: randomBytes(32),
      bankRecipientEncrypted: randomBytes(50),
      createdVia: 'api',
      createdBy: partner.key.slice(0, 19),
      bankPaymentId: 'a payment',
      bankState: 'a state',
      bankDebited: 1_910_007n,
      failureCode: 'account_closed',
      failureReason: 'a reason',
      updatedAt: at,
    },
    callerId: partner.keyId,
    confirmation: null,
    retry: null,
    fingerprint: randomBytes(32),
    transfers: [
      {
        id: newId(systemClock),
        reason: 'payout.hold',
        lines: ledgerEvents.hold({ principal: 1_920_000n, providerFee: 5n }),
      },
    ],
    open: { leasedUntil, dueAt },
    activity: { id: newId(systemClock), status: 201 },
  };
}

test('each value of a new payout arrives in its own column', async () => {
  const made = newPayout();
  const { payout } = made;
  assert.equal((await commits.create(made)).kind, 'created');
  assert.deepEqual(await findPayout(calls, partner, payout.id), {
    ...payout,
    revision: 1,
    attempts: 1,
    bankRound: 1,
    firstTriedAt: at,
    bankRefunded: null,
    completedAt: null,
    isDuplicateSuspected: false,
  });
  const key = 'select order_id, key, payout_id, fingerprint, bank_round, round_began_at from kelpie.idempotency_keys';
  assert.deepEqual(await rowOf(`${key} where order_id = $1`, [payout.orderId]), {
    order_id: payout.orderId,
    key: payout.idempotencyKey,
    payout_id: payout.id,
    fingerprint: made.fingerprint,
    bank_round: 1,
    round_began_at: at,
  });
  const lease = 'select due_at, leased_until, claims from kelpie.payout_leases where payout_id = $1';
  assert.deepEqual(await rowOf(lease, [payout.id]), { due_at: dueAt, leased_until: leasedUntil, claims: 0 });
  const activity = 'select id, action, status, by from kelpie.activity where detail = $1';
  const expected = { id: made.activity?.id, action: 'payout.create', status: 201, by: payout.createdBy };
  assert.deepEqual(await rowOf(activity, [payout.id]), expected);
  const entries = await rowsOf(
    `select transfer_id, line, account::text, amount, reason from kelpie.ledger_entries where cause_id = $1 order by line`,
    [payout.id],
  );
  const transfer = { transfer_id: made.transfers[0]?.id, reason: 'payout.hold' };
  assert.deepEqual(entries, [
    { ...transfer, line: 1, account: 'wallet', amount: '1920005' },
    { ...transfer, line: 2, account: 'held', amount: '-1920000' },
    { ...transfer, line: 3, account: 'held', amount: '-5' },
  ]);
});

test('each fact of a transition arrives in its own column', async () => {
  const { id } = await plantPayout(database, partner, 'sending');
  const payout = await findPayout(calls, partner, id);
  assert(payout !== null);
  const transition: Transition = {
    at,
    by: 'an actor',
    steps: [
      {
        to: 'processing',
        what: 'bank_accepted',
        detail: 'a detail',
        lines: ledgerEvents.taken({ byBank: 1_910_001n }),
      },
      { to: 'failed', what: 'undeliverable', detail: 'another', lines: [] },
    ],
    bankFacts: {
      attempts: 7,
      bankPaymentId: 'a payment',
      bankState: 'a state',
      bankDebited: 1_910_001n,
      bankRefunded: 1_910_002n,
      failure: { code: 'account_closed', reason: 'a reason' },
    },
    schedule: { kind: 'watch', dueAt },
    activity: { action: 'payout.cancel', requestId: newId(systemClock), status: 202, by: 'another actor' },
    openCase: { kind: 'a_kind', detail: 'of a case' },
    recipientEncrypted: Buffer.from('a recipient'),
  };
  assert.equal(await commits.applyTransition({ payout, transition }), true);
  assert.deepEqual(await findPayout(calls, partner, id), {
    ...payout,
    state: 'failed',
    revision: 3,
    attempts: 7,
    bankPaymentId: 'a payment',
    bankState: 'a state',
    bankDebited: 1_910_001n,
    bankRefunded: 1_910_002n,
    failureCode: 'account_closed',
    failureReason: 'a reason',
    bankRecipientEncrypted: Buffer.from('a recipient'),
    updatedAt: at,
  });
  const history = await rowsOf(
    `select number, at, state::text, what, by, attempt, bank_state, detail from kelpie.payout_history
     where payout_id = $1 and number > 1 order by number`,
    [id],
  );
  const common = { at, by: 'an actor', attempt: 7, bank_state: 'a state' };
  assert.deepEqual(history, [
    { ...common, number: 2, state: 'processing', what: 'bank_accepted', detail: 'a detail' },
    { ...common, number: 3, state: 'failed', what: 'undeliverable', detail: 'another' },
  ]);
  const activity = 'select id, action, status, by from kelpie.activity where detail = $1';
  const { requestId, ...recorded } = transition.activity ?? { requestId: null };
  assert.deepEqual(await rowOf(activity, [id]), { id: requestId, ...recorded });
  const opened = 'select kind, detail, opened_at from kelpie.cases where payout_id = $1';
  assert.deepEqual(await rowOf(opened, [id]), { kind: 'a_kind', detail: 'of a case', opened_at: at });
  const lease = `select due_at, leased_until = '-infinity' as is_released from kelpie.payout_leases where payout_id = $1`;
  assert.deepEqual(await rowOf(lease, [id]), { due_at: dueAt, is_released: true });
  const recipient =
    'select id_encrypted, account_index, registered_at from kelpie.known_recipients where partner_id = $1';
  assert.deepEqual(await rowOf(recipient, [partner.partnerId]), {
    id_encrypted: Buffer.from('a recipient'),
    account_index: payout.accountIndex,
    registered_at: at,
  });
});

test('the service and the database agree on what a partner may see', async () => {
  const { rows } = await asAdmin(database.superuserUrl, async (client) =>
    client.query<{ state: PayoutState }>('select unnest(enum_range(null::kelpie.payout_state))::text as state'),
  );
  for (const { state } of rows) {
    const { id } = await plantPayout(database, partner, state);
    const seen = await rowsOf('select from kelpie.visible_payouts where id = $1', [id]);
    assert.equal(seen.length === 1, isVisibleState(state), state);
  }
});
