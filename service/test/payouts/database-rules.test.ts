import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { DatabaseError, type Client } from 'pg';
import { ledgerEvents } from '../../src/ledger/index.ts';
import type { Transition } from '../../src/payouts/model/transition.ts';
import type { PayoutState } from '../../src/payouts/model/payout.ts';
import { createCommits, type Commits } from '../../src/payouts/records/commits.ts';
import { applyTransitions } from '../../src/payouts/records/apply-transitions.ts';
import { createPayouts, type NewPayout } from '../../src/payouts/records/create-payouts.ts';
import { payoutCalls } from '../../src/payouts/records/calls.ts';
import { findPayout, findPayouts, listPayoutVersions } from '../../src/payouts/records/payout-store.ts';
import { wakePayout } from '../../src/payouts/records/lease-store.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { noFailpoint } from '../../src/platform/failpoint.ts';
import { openPool } from '../../src/platform/database/pool.ts';
import { createSingleCalls, type SingleCalls } from '../../src/platform/database/single-call.ts';
import type { PartnerContext } from '../../src/platform/database/transaction.ts';
import { newId } from '../../src/platform/ids.ts';
import { createLogger } from '../../src/platform/logging.ts';
import { legalTransitions } from '../harness/invariants.ts';
import { createTestDatabase } from '../harness/database.ts';
import { addKey, createSimulatedPartner, type TestPartner } from '../harness/partners.ts';
import { plantPayout } from '../harness/planted-payout.ts';

const database = await createTestDatabase();
const logger = createLogger('test', 'silent');
const pool = openPool({ url: database.serviceUrl, connections: 2, applicationName: 'test', logger });
after(async () => pool.end());
const calls = createSingleCalls(pool, noFailpoint);
/** A batch of one, and one for as many as there are: the rules are the same. */
const ways: readonly (readonly [way: string, commits: Commits])[] = [
  ['alone', createCommits(calls, systemClock, { atOnce: 1 })],
  ['in a batch', createCommits(calls, systemClock, { atOnce: 64 })],
];
const mine = await createSimulatedPartner(database);
const theirs = await createSimulatedPartner(database);

/** The service's own role, in a transaction of this partner's which leaves nothing behind. */
async function asService<Result>(of: PartnerContext, work: (client: Client) => Promise<Result>): Promise<Result> {
  return asAdmin(database.serviceUrl, async (client) => {
    await client.query('begin');
    await client.query(`select set_config('kelpie.partner_id', $1, true), set_config('kelpie.environment', $2, true)`, [
      of.partnerId,
      of.environment,
    ]);
    try {
      return await work(client);
    } finally {
      await client.query('rollback');
    }
  });
}

/** The code of the database's refusal, or how many rows it let through. */
async function tryAs(of: PartnerContext, sql: string, values: readonly unknown[]): Promise<string> {
  return asService(of, async (client) => {
    try {
      const { rowCount } = await client.query(sql, [...values]);
      return `${rowCount} rows`;
    } catch (error) {
      assert(error instanceof DatabaseError);
      return error.code ?? '';
    }
  });
}

const refusedByRule = '23514';
const refusedByRights = '42501';

const states: readonly PayoutState[] = [
  'sending',
  'not_created',
  'pending',
  'processing',
  'completed',
  'failed',
  'cancelled',
  'returned',
];

/** All that the new state needs besides, so that the move itself is what is refused. */
const moveSql = `update kelpie.payouts set state = $2::kelpie.payout_state, revision = revision + 1, bank_payment_id = 't1',
  bank_debited_micro_usdc = coalesce(bank_debited_micro_usdc, 1), completed_at = now(),
  failure_reason = case when $2::kelpie.payout_state in ('failed', 'returned') then 'why' end
  where id = $1`;

for (const from of states) {
  test(`the database lets a ${from} payout make its legal moves, and refuses every other`, async () => {
    const { id } = await plantPayout(database, mine, from);
    for (const to of states) {
      const isLegal = from === to || legalTransitions.has(`${from}>${to}`);
      assert.equal(await tryAs(mine, moveSql, [id, to]), isLegal ? '1 rows' : refusedByRule, `${from}>${to}`);
    }
  });
}

test('a payout begins as sending, or where its rail answers at once as processing or failed', async () => {
  const { id } = await plantPayout(database, mine, 'sending');
  const columns = await asAdmin(database.superuserUrl, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `select column_name as name from information_schema.columns where table_schema = 'kelpie' and table_name = 'payouts'`,
    );
    return rows.map(({ name }) => name);
  });
  const changed: Record<string, string> = {
    id: '$2::uuid',
    state: '$3::kelpie.payout_state',
    bank_payment_id: `'t1'`,
    bank_debited_micro_usdc: '1',
    completed_at: 'now()',
    failure_reason: `case when $3::kelpie.payout_state in ('failed', 'returned') then 'why' end`,
  };
  const values = columns.map((name) => changed[name] ?? name);
  const copy = `insert into kelpie.payouts (${columns.join(', ')}) select ${values.join(', ')} from kelpie.payouts where id = $1`;
  const begins = new Set<string>(['sending', 'processing', 'failed']);
  for (const state of states) {
    const outcome = await tryAs(mine, copy, [id, newId(systemClock), state]);
    assert.equal(outcome, begins.has(state) ? '1 rows' : refusedByRule, state);
  }
});

for (const [way, commits] of ways) {
  test(`${way}, no payout is made on the simulated rail for a partner that has left it`, async () => {
    await asAdmin(database.superuserUrl, async (client) => {
      const transition = `update kelpie.partner_environments set rail = $2 where partner_id = $1`;
      await client.query(transition, [mine.partnerId, 'provider_sandbox']);
      try {
        assert.deepEqual(await commits.create(newPayout()), { kind: 'rail_changed' });
      } finally {
        await client.query(transition, [mine.partnerId, 'simulated']);
      }
    });
    assert.equal((await commits.create(newPayout())).kind, 'created');
  });
}

test('a change of a payout without the next number is refused', async () => {
  const { id } = await plantPayout(database, mine, 'processing');
  for (const number of ['revision', 'revision + 2', 'revision - 1']) {
    const sql = `update kelpie.payouts set bank_state = 'x', revision = ${number} where id = $1`;
    assert.equal(await tryAs(mine, sql, [id]), refusedByRule, number);
  }
});

const mayChange = new Set([
  'state',
  'revision',
  'attempts',
  'bank_payment_id',
  'bank_state',
  'bank_debited_micro_usdc',
  'bank_refunded_micro_usdc',
  'failure_code',
  'failure_reason',
  'updated_at',
  'completed_at',
]);

test('what was ordered never changes: amounts, prices, the recipient, whose it is', async () => {
  const { id } = await plantPayout(database, mine, 'processing');
  const { rows } = await asAdmin(database.superuserUrl, async (client) =>
    client.query<{ name: string }>(
      `select column_name as name from information_schema.columns where table_schema = 'kelpie' and table_name = 'payouts'`,
    ),
  );
  const fixed = rows.map(({ name }) => name).filter((name) => !mayChange.has(name));
  for (const name of ['amount_pence', 'wallet_debit_micro_usdc', 'recipient_encrypted', 'partner_id', 'order_id'])
    assert(fixed.includes(name), name);
  for (const name of fixed) {
    const sql = `update kelpie.payouts set ${name} = ${name}, revision = revision + 1 where id = $1`;
    assert.equal(await tryAs(mine, sql, [id]), refusedByRights, name);
  }
});

test('history, activity, entries and payouts are never deleted, and what happened is never rewritten', async () => {
  for (const table of ['payouts', 'payout_history', 'activity', 'ledger_entries', 'wallets', 'cases'])
    assert.equal(await tryAs(mine, `delete from kelpie.${table}`, []), refusedByRights, table);
  for (const [table, column] of [
    ['payout_history', 'what'],
    ['activity', 'status'],
    ['ledger_entries', 'amount'],
    ['wallets', 'balance_micro_usdc'],
    ['idempotency_keys', 'key'],
    ['idempotency_keys', 'order_id'],
  ] as const) {
    const sql = `update kelpie.${table} set ${column} = ${column}`;
    assert.equal(await tryAs(mine, sql, []), refusedByRights, `${table}.${column}`);
  }
  // Not even by whoever has every right.
  await plantPayout(database, mine, 'processing');
  await asAdmin(database.superuserUrl, async (client) => {
    for (const sql of ['delete from kelpie.payout_history', `update kelpie.payout_history set what = 'x'`])
      await assert.rejects(client.query(sql), DatabaseError);
  });
});

/** A key whose secret was replaced, and works until then. */
function rolled(until: string): string {
  return `previous_secret_hmac = secret_hmac, secret_hmac = sha256(secret_hmac), previous_expires_at = ${until},
    previous_prefix = key_prefix, key_prefix = 'kp_sandbox_00000000'`;
}

for (const [way, commits] of ways) {
  test(`faults 66: the commit of a payout refuses a key that may not pay any more, whatever a process still believes (${way})`, async () => {
    const [ended, later] = ["now() - interval '1 second'", "now() + interval '1 hour'"];
    for (const [change, expected] of [
      ['label = null', 'created'],
      [`expires_at = ${later}`, 'created'],
      [`created_at = now() - interval '1 hour', expires_at = ${ended}`, 'unauthorized'],
      [`scope = 'read'`, 'unauthorized'],
      [`revoked_at = ${ended}`, 'unauthorized'],
      [rolled(later), 'created'],
      [`created_at = now() - interval '1 hour', ${rolled(ended)}`, 'unauthorized'],
      [`key_prefix = 'kp_sandbox_00000000', secret_hmac = sha256(secret_hmac)`, 'unauthorized'],
    ] as const) {
      const caller = { ...mine, ...(await addKey(database, mine)) };
      await asAdmin(database.superuserUrl, async (client) =>
        client.query(`update kelpie.api_keys set ${change} where id = $1`, [caller.keyId]),
      );
      assert.equal((await commits.create(newPayout({ caller }))).kind, expected, change);
    }
  });

  test(`a payout of another partner can not be seen, changed, moved or made (${way})`, async () => {
    const { id } = await plantPayout(database, theirs, 'processing');
    assert.equal(await tryAs(mine, 'select from kelpie.payouts where id = $1', [id]), '0 rows');
    assert.equal(await tryAs(mine, moveSql, [id, 'completed']), '0 rows');
    assert.equal(await findPayout(calls, mine, id), null);
    assert.equal(await findPayout(calls, { ...theirs, environment: 'live' }, id), null);
    const others = { ...theirs, environment: 'live' } as const;
    const asked = [mine, others, theirs].map(({ partnerId, environment }) => ({
      partnerId,
      environment,
      payoutId: id,
    }));
    assert.deepEqual(
      (await findPayouts(calls, asked)).map((found) => found?.id),
      [undefined, undefined, id],
    );
    for (const other of [mine, others])
      await assert.rejects(listPayoutVersions(calls, [{ ...other, id, version: 1 }]), /has no version/);
    const payout = await findPayout(calls, theirs, id);
    assert(payout !== null);
    for (const transition of [moveTo('failed'), plain(moveTo('failed'))]) {
      assert.equal(
        await commits.applyTransition({ payout: { ...payout, partnerId: mine.partnerId }, transition }),
        false,
      );
      assert.equal(await commits.applyTransition({ payout: { ...payout, environment: 'live' }, transition }), false);
    }
    assert.equal((await findPayout(calls, theirs, id))?.revision, 1);
    // With a key that is not the partner's own.
    assert.deepEqual(await commits.create(newPayout({ caller: theirs })), { kind: 'unauthorized' });
    const history = `insert into kelpie.payout_history (payout_id, number, partner_id, environment, at, state, what, by, attempt, transfer_ids)
      values ($1, 2, $2, 'sandbox', now(), 'failed', 'x', 'x', 1, '{}')`;
    assert.equal(await tryAs(mine, history, [id, theirs.partnerId]), refusedByRights);
  });
}

function moveTo(to: PayoutState, change: Partial<Transition> = {}): Transition {
  const lines = ledgerEvents.released({ held: 1_920_000n });
  return {
    at: new Date(),
    by: 'test',
    steps: [{ to, what: 'rejected', detail: null, lines }],
    bankFacts: { attempts: 2, bankState: 'new', failure: { code: 'unknown', reason: 'why' } },
    schedule: { kind: 'close' },
    activity: { action: 'payout.create', requestId: null, status: 201, by: 'test' },
    openCase: { kind: 'tested', detail: 'tested' },
    blockPartner: true,
    recipientEncrypted: Buffer.of(1),
    freeKey: true,
    ...change,
  };
}

/** Of the kind that goes into a batch. */
function plain({ at, by, steps, bankFacts, schedule, recipientEncrypted = Buffer.of() }: Transition): Transition {
  return { at, by, steps, bankFacts, schedule, recipientEncrypted };
}

function newPayout(change: { caller?: TestPartner; orderId?: string; claims?: bigint } = {}): NewPayout {
  const { caller = mine, orderId = randomUUID(), claims = 1_920_000n } = change;
  const at = new Date();
  const hold = ledgerEvents.hold({ principal: claims - 1n, providerFee: 1n });
  return {
    payout: {
      id: newId(systemClock),
      partnerId: mine.partnerId,
      environment: 'sandbox',
      rail: 'simulated',
      state: 'sending',
      idempotencyKey: orderId,
      orderId,
      reference: null,
      bankReference: 'KP',
      amount: 100n,
      fee: 100n,
      providerFee: 51n,
      walletDebit: claims,
      rate: 790_000n,
      recipientName: 'Ada Byron',
      accountLast4: '5678',
      recipientEncrypted: Buffer.of(1),
      accountIndex: Buffer.alloc(32),
      bankRecipientEncrypted: null,
      createdVia: 'api',
      createdBy: caller.key.slice(0, 19),
      bankPaymentId: null,
      bankState: null,
      bankDebited: null,
      failureCode: null,
      failureReason: null,
      updatedAt: at,
      pricePlan: 'standard-1',
    },
    callerId: caller.keyId,
    confirmation: null,
    retry: null,
    fingerprint: Buffer.of(1),
    transfers: [{ id: newId(systemClock), reason: 'payout.hold', lines: hold }],
    open: { leasedUntil: at, dueAt: at },
    activity: { id: newId(systemClock), status: 201 },
  };
}

async function walletOf({ partnerId }: PartnerContext): Promise<bigint> {
  return asAdmin(database.superuserUrl, async (client) => {
    const { rows } = await client.query<{ balance: string }>(
      `select balance_micro_usdc as balance from kelpie.wallets where partner_id = $1 and environment = 'sandbox'`,
      [partnerId],
    );
    return BigInt(rows[0]?.balance ?? 0);
  });
}

/** Every row that a commit of a payout could leave, table by table. */
async function everything(): Promise<unknown> {
  return asAdmin(database.superuserUrl, async (client) => {
    const found: Record<string, unknown> = {};
    for (const table of [
      'payouts',
      'payout_history',
      'ledger_entries',
      'wallets',
      'activity',
      'cases',
      'payout_leases',
      'idempotency_keys',
      'known_recipients',
      'payment_blocks',
      'payment_block_history',
    ]) {
      const { rows } = await client.query(`select * from kelpie.${table} order by 1, 2`);
      found[table] = rows;
    }
    return found;
  });
}

for (const [way, commits] of ways) {
  test(`faults 5: a move that builds on an old number says false, and leaves nothing at all behind (${way})`, async () => {
    const { id } = await plantPayout(database, mine, 'processing');
    const payout = await findPayout(calls, mine, id);
    assert(payout !== null);
    const step = { to: 'processing', what: 'noted', detail: null, lines: [] } as const;
    const quicker: Transition = {
      at: new Date(),
      by: 'test',
      steps: [step],
      bankFacts: {},
      schedule: { kind: 'keep' },
    };
    assert.equal(await commits.applyTransition({ payout, transition: quicker }), true);
    const before = await everything();
    assert.equal(await commits.applyTransition({ payout, transition: moveTo('failed') }), false);
    assert.equal(await commits.applyTransition({ payout, transition: plain(moveTo('failed')) }), false);
    assert.deepEqual(await everything(), before);
  });

  test(`a move without a step is refused: it would not name the number that it builds on (${way})`, async () => {
    const { id } = await plantPayout(database, mine, 'processing');
    const payout = await findPayout(calls, mine, id);
    assert(payout !== null);
    const before = await everything();
    await assert.rejects(commits.applyTransition({ payout, transition: moveTo('failed', { steps: [] }) }), {
      code: '23514',
    });
    assert.deepEqual(await everything(), before);
  });

  test(`a payout that its wallet can not cover leaves nothing behind, and says what there is (${way})`, async () => {
    const before = await everything();
    const available = await walletOf(mine);
    const outcome = await commits.create(newPayout({ claims: available + 1n }));
    assert.deepEqual(outcome, { kind: 'insufficient_funds', available });
    assert.deepEqual(await everything(), before);
  });

  test(`a second payout with the same order is not made (${way})`, async () => {
    const first = newPayout();
    assert.equal((await commits.create(first)).kind, 'created');
    const before = await everything();
    assert.deepEqual(await commits.create(newPayout({ orderId: first.payout.orderId })), { kind: 'taken' });
    assert.deepEqual(await everything(), before);
    const claim = `insert into kelpie.idempotency_keys (order_id, partner_id, environment, key, payout_id, fingerprint, round_began_at)
      values ($1, $2, 'sandbox', 'another-key', $3, '\\x01', now())`;
    assert.equal(await tryAs(mine, claim, [first.payout.orderId, mine.partnerId, randomUUID()]), '23505');
  });
}

test('a key stands for its payout for ever; only that of a payout that never was can be freed', async () => {
  for (const state of states) {
    const { orderId } = await plantPayout(database, mine, state);
    const expected = state === 'not_created' ? '1 rows' : refusedByRule;
    for (const change of ['payout_id = gen_random_uuid()', `fingerprint = ''`]) {
      const sql = `update kelpie.idempotency_keys set ${change} where order_id = $1`;
      assert.equal(await tryAs(mine, sql, [orderId]), expected, `${state}: ${sql}`);
    }
    const removal = 'delete from kelpie.idempotency_keys where order_id = $1';
    assert.equal(await tryAs(mine, removal, [orderId]), refusedByRights, state);
  }
});

test('a wallet does not go below zero, whoever asks', async () => {
  const sql = `select from kelpie.post_transfers(
    array[$1, $1]::uuid[], array[1, 2]::smallint[], array[$2, $2]::uuid[], array['sandbox', 'sandbox']::kelpie.environment[],
    array['wallet', 'bank_wallet']::kelpie.ledger_account[], array[20000000000, -20000000000], array['sandbox.closed', 'sandbox.closed'],
    array[$1, $1]::uuid[]) t where t.posted`;
  assert.equal(await tryAs(mine, sql, [newId(systemClock), mine.partnerId]), '0 rows');
  await asAdmin(database.superuserUrl, async (client) =>
    assert.rejects(client.query('update kelpie.wallets set balance_micro_usdc = -1'), { code: refusedByRule }),
  );
});

async function isOpenedBy(state: PayoutState, news: { paymentId: string; isUnderWay: boolean }): Promise<boolean> {
  const { id, orderId } = await plantPayout(database, mine, state);
  assert(await wakePayout(calls, { environment: 'sandbox', orderId, at: new Date(), ...news }));
  return asAdmin(database.superuserUrl, async (client) => {
    const { rowCount } = await client.query('select from kelpie.payout_leases where payout_id = $1', [id]);
    return rowCount === 1;
  });
}

test('that a payment is under way is news of every payout but one that is known to be', async () => {
  for (const state of states) {
    assert.equal(await isOpenedBy(state, { paymentId: 't1', isUnderWay: false }), true, state);
    assert.equal(await isOpenedBy(state, { paymentId: 't1', isUnderWay: true }), state !== 'processing', state);
    // Of another payment than the one that we know.
    assert.equal(await isOpenedBy(state, { paymentId: 't2', isUnderWay: true }), true, state);
  }
});

test('one payout twice in a batch moves once, and is paid back once', async () => {
  const { id } = await plantPayout(database, mine, 'processing');
  const payout = await findPayout(calls, mine, id);
  assert(payout !== null);
  const before = await walletOf(mine);
  const transition = plain(moveTo('failed'));
  const later = { ...payout, revision: payout.revision + 1 };
  const stranger = { ...later, partnerId: theirs.partnerId };
  const batch = [payout, payout, later, stranger].map((one) => ({ payout: one, transition }));
  const moved = await applyTransitions(calls, systemClock, batch);
  assert.deepEqual(moved.filter(Boolean), [true]);
  assert.equal(await walletOf(mine), before + 1_920_000n);
  assert.equal((await findPayout(calls, mine, id))?.revision, 2);
});

/** Which argument of create_payouts says of each entry whose it is. */
const placesOfEntries = Number(/entry_payouts => \$(\d+)/.exec(payoutCalls.createPayouts.text)?.[1]) - 1;

test('an entry that names no payout of its batch fails the batch', async () => {
  const before = await everything();
  for (const place of [0, 2, null]) {
    const broken: SingleCalls = {
      ...calls,
      call: async (call, values) =>
        calls.call(
          call,
          values.map((value, at) =>
            at === placesOfEntries ? String(value).replace(/\d+/g, `${place ?? 'NULL'}`) : value,
          ),
        ),
    };
    await assert.rejects(createPayouts(broken, [newPayout()]), { code: '23514' });
  }
  assert.deepEqual(await everything(), before);
});

test('a payout is refunded once, under whichever reason', async () => {
  const { id } = await plantPayout(database, mine, 'failed');
  const refund = `select from kelpie.post_transfers(
    array[$2, $2]::uuid[], array[1, 2]::smallint[], array[$1, $1]::uuid[], array['sandbox', 'sandbox']::kelpie.environment[],
    array['held', 'wallet']::kelpie.ledger_account[], array[5, -5], array[$4, $4], array[$3, $3]::uuid[])`;
  await asService(mine, async (client) => {
    await client.query(refund, [mine.partnerId, newId(systemClock), id, 'payout.rejected']);
    const again = client.query(refund, [mine.partnerId, newId(systemClock), id, 'payout.not_created']);
    await assert.rejects(again, { code: '23505', constraint: 'payout_refunds_pkey' });
  });
});

test('a hold that is not what its payout debits the wallet by is refused, and leaves nothing', async () => {
  const before = await everything();
  for (const walletDebit of [1_920_001n, 1_919_999n]) {
    const made = newPayout();
    const wrong = { ...made, payout: { ...made.payout, walletDebit } };
    await assert.rejects(createPayouts(calls, [newPayout(), wrong]), { code: refusedByRule });
  }
  const none = { ...newPayout(), transfers: [] };
  await assert.rejects(createPayouts(calls, [none]), { code: refusedByRule });
  assert.deepEqual(await everything(), before);
});

test('a payout is on a rail of its environment', async () => {
  for (const rail of ['provider_production', 'simulated', 'provider_sandbox'])
    for (const environment of ['live', 'sandbox'] as const) {
      const { id } = await plantPayout(database, mine, 'sending');
      const change = asAdmin(database.superuserUrl, async (client) => {
        await client.query('set session_replication_role = replica');
        await client.query(`update kelpie.payouts set rail = $2, environment = $3 where id = $1`, [
          id,
          rail,
          environment,
        ]);
      });
      if ((environment === 'live') === (rail === 'provider_production')) await change;
      else await assert.rejects(change, { code: refusedByRule, constraint: 'payouts_rail_check' });
    }
});

function raiseSql(column: string): string {
  return `update kelpie.payouts set ${column} = coalesce(${column}, 0) + 1, revision = revision + 1 where id = $1`;
}

test("the bank's amounts do not change after the end", async () => {
  for (const state of ['completed', 'cancelled', 'returned'] as const) {
    const { id } = await plantPayout(database, mine, state);
    assert.equal(await tryAs(mine, raiseSql('bank_debited_micro_usdc'), [id]), refusedByRule, state);
    // A completed payout can still be returned, and only then the bank refunds it.
    const refunded = await tryAs(mine, raiseSql('bank_refunded_micro_usdc'), [id]);
    assert.equal(refunded, state === 'completed' ? '1 rows' : refusedByRule, state);
  }
  const { id } = await plantPayout(database, mine, 'failed');
  assert.equal(
    await tryAs(mine, raiseSql('bank_debited_micro_usdc'), [id]),
    '1 rows',
    'its hold is kept until the refund',
  );
  await asAdmin(database.superuserUrl, async (client) => {
    await client.query('set session_replication_role = replica');
    await client.query('update kelpie.payouts set bank_refunded_micro_usdc = 7 where id = $1', [id]);
  });
  for (const column of ['bank_debited_micro_usdc', 'bank_refunded_micro_usdc'])
    assert.equal(await tryAs(mine, raiseSql(column), [id]), refusedByRule, column);
});
