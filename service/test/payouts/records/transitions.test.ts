import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { ledgerEvents } from '../../../src/ledger/index.ts';
import { payoutCalls } from '../../../src/payouts/records/calls.ts';
import { createCommits } from '../../../src/payouts/records/commits.ts';
import type { PayoutTransition } from '../../../src/payouts/records/apply-transitions.ts';
import type { Transition, TransitionStep } from '../../../src/payouts/model/transition.ts';
import type { PayoutState } from '../../../src/payouts/model/payout.ts';
import { findPayout } from '../../../src/payouts/records/payout-store.ts';
import { noFailpoint } from '../../../src/platform/failpoint.ts';
import { openPool } from '../../../src/platform/database/pool.ts';
import { createSingleCalls, type Call, type SingleCalls } from '../../../src/platform/database/single-call.ts';
import type { PartnerContext } from '../../../src/platform/database/transaction.ts';
import { newId } from '../../../src/platform/ids.ts';
import { createLogger } from '../../../src/platform/logging.ts';
import { createTestDatabase } from '../../harness/database.ts';
import { createSimulatedPartner } from '../../harness/partners.ts';
import { plantPayout } from '../../harness/planted-payout.ts';

// A transition that is committed with others leaves the same rows as one that is a batch of its own. Here each is done both
// ways, on two payouts that are the same but for their ids, and every row that it leaves is compared.

const atOnce = 64;
const database = await createTestDatabase();
const logger = createLogger('test', 'silent');
const pool = openPool({ url: database.serviceUrl, connections: 2, applicationName: 'test', logger });
after(async () => pool.end());
const calls = createSingleCalls(pool, noFailpoint);
const now = new Date();
const clock = { now: () => now };
const alone = createCommits(calls, clock, { atOnce: 1 });
const mine = await createSimulatedPartner(database);
/** The bank knows every recipient of theirs already, and none of mine. */
const theirs = await createSimulatedPartner(database);

function inMinutes(minutes: number): Date {
  return new Date(now.getTime() + minutes * 60_000);
}

const [idle, paymentId] = ['-infinity', 'webhook'];
const leases = {
  'not open': null,
  'not due': { due_at: inMinutes(5), leased_until: idle, claims: 0 },
  'in hand': { due_at: inMinutes(2), leased_until: inMinutes(2), claims: 1, webhook_payment_id: paymentId },
  'in hand with news': { due_at: inMinutes(-1), leased_until: inMinutes(2), claims: 3, webhook_payment_id: paymentId },
  'due by a webhook': { due_at: inMinutes(-3), leased_until: idle, claims: 2, webhook_payment_id: paymentId },
};
const schedule: readonly Transition['schedule'][] = [
  { kind: 'keep' },
  { kind: 'watch', dueAt: inMinutes(60) },
  { kind: 'close' },
];

type Kind = Pick<Transition, 'activity' | 'bankFacts' | 'openCase' | 'forgetRecipient' | 'freeKey'> &
  Pick<TransitionStep, 'to' | 'lines'> & {
    from: PayoutState;
    what?: string;
    later?: readonly Pick<TransitionStep, 'to' | 'lines' | 'what'>[];
  };

/** By the amount, no two moves say the same: none can pass for another. */
const kinds: Record<string, (held: bigint) => Kind> = {
  bank_accepted: (held) => ({
    from: 'pending',
    to: 'processing',
    bankFacts: { bankPaymentId: `t-${held}`, bankState: `took ${held}`, bankDebited: held },
    lines: ledgerEvents.taken({ byBank: held }),
  }),
  arrived: (held) => ({
    from: 'processing',
    to: 'completed',
    bankFacts: { bankState: `sent ${held}` },
    lines: ledgerEvents.arrived({ held, byBank: held - 7n }),
  }),
  refunded: (held) => ({
    from: 'processing',
    to: 'failed',
    bankFacts: {
      bankRefunded: held,
      failure: { code: 'account_closed', reason: `{"${held}", \\NULL}, it's 'closed'` },
    },
    lines: ledgerEvents.refundedAfterFailure({ held, byBank: held + 9n, refund: held }),
  }),
  not_created: (held) => ({
    from: 'sending',
    to: 'not_created',
    bankFacts: {},
    lines: ledgerEvents.released({ held }),
  }),
  accepted: (held) => ({
    from: 'sending',
    to: 'processing',
    bankFacts: { bankPaymentId: `t-${held}` },
    lines: [],
    activity: { action: 'payout.create', requestId: null, status: 201, by: `key ${held}` },
  }),
  cancelled: (held) => ({
    from: 'pending',
    to: 'cancelled',
    bankFacts: {},
    lines: ledgerEvents.released({ held }),
    activity: { action: 'payout.cancel', requestId: null, status: null, by: `key ${held}` },
  }),
  recorded: (held) => ({
    from: 'processing',
    to: 'processing',
    bankFacts: { attempts: Number(held % 1_000n) },
    lines: [],
  }),
  taken_and_arrived: (held) => ({
    from: 'sending',
    to: 'processing',
    bankFacts: { bankPaymentId: `t-${held}`, bankState: 'arrived', bankDebited: held },
    lines: ledgerEvents.taken({ byBank: held }),
    what: 'bank_accepted',
    later: [{ to: 'completed', what: 'arrived', lines: ledgerEvents.arrived({ held, byBank: held }) }],
    activity: { action: 'payout.create', requestId: null, status: 201, by: `key ${held}` },
  }),
  in_question: (held) => ({
    from: 'processing',
    to: 'processing',
    bankFacts: { bankState: 'odd' },
    lines: [],
    openCase: { kind: 'taken_differs', detail: `by ${held}` },
  }),
  recipient_refused: (held) => ({
    from: 'sending',
    to: 'not_created',
    bankFacts: {},
    lines: ledgerEvents.released({ held }),
    what: 'rejected',
    forgetRecipient: true,
    freeKey: true,
  }),
  recorded_when_completed: () => ({ from: 'completed', to: 'completed', bankFacts: {}, lines: [] }),
  recorded_when_failed: () => ({ from: 'failed', to: 'failed', bankFacts: { bankState: 'failed' }, lines: [] }),
};

interface Combination {
  name: string;
  of: PartnerContext;
  from: PayoutState;
  lease: object | null;
  transition: Transition;
}

const combinations: Combination[] = [];
for (const [open, lease] of Object.entries(leases))
  for (const next of schedule)
    for (const [kind, kindOf] of Object.entries(kinds))
      for (const recipient of [{}, { recipientEncrypted: Buffer.from(`r-${combinations.length}`) }]) {
        const number = combinations.length;
        const { from, to, lines, what = kind, later = [], ...known } = kindOf(1_920_000n + BigInt(number));
        const detail = number % 3 === 0 ? null : `"${number}"`;
        const steps = [{ to, lines, what }, ...later].map((step) => Object.assign(step, { detail }));
        const at = new Date(now.getTime() + number);
        combinations.push({
          name: `${kind}, ${open}, then ${next.kind}, ${JSON.stringify(recipient)}`,
          of: Math.floor(number / 2) % 2 === 0 ? mine : theirs,
          from,
          lease,
          transition: { at, by: `worker ${number}`, steps, schedule: next, ...known, ...recipient },
        });
      }

const models = new Map<PayoutState, string>();
for (const from of new Set(combinations.map((combination) => combination.from)))
  models.set(from, (await plantPayout(database, mine, from)).id);

/** A payout for each, copied from the one of its state: twins differ in their ids, and in the account where it is not given. */
async function plant(planted: readonly Combination[], account?: string): Promise<PayoutTransition[]> {
  const items = planted.map(({ of, from, lease }) => {
    const id = newId(clock);
    const own = { id, payout_id: id, partner_id: of.partnerId, environment: of.environment };
    return { model: models.get(from), own, lease: lease === null ? null : { ...lease, ...own } };
  });
  await asAdmin(database.superuserUrl, async (client) => {
    await client.query('set session_replication_role = replica');
    await client.query(
      `create temp table item as select * from jsonb_to_recordset($1) as item (model uuid, own jsonb, lease jsonb)`,
      [JSON.stringify(items)],
    );
    await client.query(
      `insert into kelpie.payouts select c.* from item join kelpie.payouts p on p.id = item.model, jsonb_populate_record(
         p, own || jsonb_build_object('account_index', sha256(coalesce($1, own ->> 'id')::bytea))) c`,
      [account],
    );
    await client.query(
      `insert into kelpie.payout_history select c.* from item join kelpie.payout_history h on h.payout_id = item.model,
         jsonb_populate_record(h, own) c`,
    );
    await client.query(
      `insert into kelpie.payout_leases select c.* from item, jsonb_populate_record(null::kelpie.payout_leases, lease) c
       where jsonb_typeof(lease) = 'object'`,
    );
    await client.query(
      `insert into kelpie.known_recipients (partner_id, environment, account_index, id_encrypted, registered_at)
       select p.partner_id, p.environment, p.account_index, 'old'::bytea, $2
       from item join kelpie.payouts p on p.id = (own ->> 'id')::uuid where p.partner_id = $1`,
      [theirs.partnerId, inMinutes(-9)],
    );
  });
  const transitions: PayoutTransition[] = [];
  // One after the other: all at once would wait for a connection, which is given up after two seconds.
  for (const [at, { of, transition }] of planted.entries()) {
    const payout = await findPayout(calls, of, items[at]?.own.id ?? '');
    assert(payout !== null);
    transitions.push({ payout, transition });
  }
  return transitions;
}

/** Every row of a payout's, without the ids that are made anew for each; a transfer is known by the change that it is of. */
const rowsSql = `select
  to_jsonb(p) - '{id,account_index}'::text[] as payout,
  array(select to_jsonb(h) - '{payout_id,transfer_ids}'::text[] || jsonb_build_object('transfers', cardinality(h.transfer_ids))
    from kelpie.payout_history h where h.payout_id = p.id order by h.number) as history,
  array(select to_jsonb(o) - 'payout_id' from kelpie.payout_leases o where o.payout_id = p.id) as open,
  array(select to_jsonb(a) - '{id,detail}'::text[] from kelpie.activity a where a.detail = p.id::text) as activity,
  array(select to_jsonb(e) - '{transfer_id,cause_id,wallet_balance_after,wallet_version}'::text[] || jsonb_build_object('of',
      (select h.number from kelpie.payout_history h where h.payout_id = p.id and e.transfer_id = any (h.transfer_ids)))
    from kelpie.ledger_entries e where e.cause_id = p.id
    order by (select h.number from kelpie.payout_history h where h.payout_id = p.id and e.transfer_id = any (h.transfer_ids)), e.line
  ) as entries,
  array(select to_jsonb(c) - '{id,payout_id}'::text[] from kelpie.cases c where c.payout_id = p.id) as cases,
  array(select to_jsonb(k) - '{order_id,payout_id}'::text[] from kelpie.idempotency_keys k where k.payout_id = p.id) as keys,
  array(select to_jsonb(r) - '{account_index,number}'::text[] from kelpie.known_recipients r
    where (r.partner_id, r.environment, r.account_index) = (p.partner_id, p.environment, p.account_index)
    order by r.number) as recipients
  from unnest($1::uuid[]) with ordinality as item (id, place) join kelpie.payouts p on p.id = item.id order by item.place`;

async function rowsOf(transitions: readonly PayoutTransition[]): Promise<object[]> {
  return asAdmin(database.superuserUrl, async (client) => {
    // Compiling it takes longer than running it.
    await client.query('set jit = off');
    const { rows } = await client.query<object>(rowsSql, [transitions.map(({ payout }) => payout.id)]);
    assert.equal(rows.length, transitions.length);
    return rows;
  });
}

/** The balance and the version of each wallet. */
async function readWallets(): Promise<bigint[]> {
  return asAdmin(database.superuserUrl, async (client) => {
    const { rows } = await client.query<{ balance: string; version: string }>(
      'select balance_micro_usdc as balance, version from kelpie.wallets order by partner_id',
    );
    return rows.flatMap(({ balance, version }) => [BigInt(balance), BigInt(version)]);
  });
}

async function changeOfWallets(work: () => Promise<void>): Promise<bigint[]> {
  const before = await readWallets();
  await work();
  return (await readWallets()).map((value, at) => value - (before[at] ?? 0n));
}

async function applyEachAlone(transitions: readonly PayoutTransition[]): Promise<void> {
  for (const payoutTransition of transitions) assert.equal(await alone.applyTransition(payoutTransition), true);
}

/** All at once, the last first: their order is not that of their ids. Says of each whether it was done. */
async function applyTogether(transitions: readonly PayoutTransition[]): Promise<boolean[]> {
  const made: string[] = [];
  const counted: SingleCalls = {
    ...calls,
    call: async <Row extends object>(call: Call, values: readonly unknown[]) => {
      made.push(call.name);
      return calls.call<Row>(call, values);
    },
  };
  const together = createCommits(counted, clock, { atOnce });
  const said = await Promise.all(
    transitions.toReversed().map(async (payoutTransition) => together.applyTransition(payoutTransition)),
  );
  // Full batches, and none that failed and was done one by one after all.
  const batches = Math.ceil(transitions.length / atOnce);
  assert.deepEqual(made, Array<string>(batches).fill(payoutCalls.applyTransitions.name));
  return said.toReversed();
}

function assertSame(names: readonly string[], found: readonly object[], expected: readonly object[]): void {
  for (const [at, name] of names.entries()) assert.deepEqual({ name, ...found[at] }, { name, ...expected[at] });
}

test(`each of ${combinations.length} moves leaves the same rows in a batch as alone`, async () => {
  const [one, other] = [await plant(combinations), await plant(combinations)];
  const names = combinations.map(({ name }) => name);
  assertSame(names, await rowsOf(other), await rowsOf(one));
  const expected = await changeOfWallets(async () => applyEachAlone(one));
  const changed = await changeOfWallets(async () => assert(!(await applyTogether(other)).includes(false)));
  assertSame(names, await rowsOf(other), await rowsOf(one));
  assert.deepEqual(changed, expected);
  assert(changed.every((change) => change > 0n));
});

const isOld = (_: unknown, at: number): boolean => at % 3 === 0;
const isNew = (_: unknown, at: number): boolean => at % 3 !== 0;

test('moves in a batch that build on an old number say false and leave nothing, and the others are done', async () => {
  const some = combinations.filter((_, at) => at % 5 === 0);
  const [one, other] = [await plant(some), await plant(some)];
  for (const { payout } of other.filter(isOld)) {
    const steps = [{ to: payout.state, what: 'quicker', detail: null, lines: [] }];
    await applyEachAlone([
      { payout, transition: { at: now, by: 'test', steps, bankFacts: {}, schedule: { kind: 'keep' } } },
    ]);
  }
  const before = await rowsOf(other);
  const expected = await changeOfWallets(async () => applyEachAlone(one.filter(isNew)));
  const changed = await changeOfWallets(async () => assert.deepEqual(await applyTogether(other), some.map(isNew)));
  assert.deepEqual(changed, expected);
  const names = some.map(({ name }) => name);
  const [found, done] = [await rowsOf(other), await rowsOf(one)];
  assertSame(names.filter(isOld), found.filter(isOld), before.filter(isOld));
  assertSame(names.filter(isNew), found.filter(isNew), done.filter(isNew));
});

test('of two moves in a batch that name a recipient of one account, the later counts, as alone', async () => {
  const first = combinations.find(({ of, transition }) => of === mine && transition.recipientEncrypted !== undefined);
  assert(first !== undefined);
  const twice = [
    first,
    { ...first, transition: { ...first.transition, recipientEncrypted: Buffer.from('r-another') } },
  ];
  const [one, other] = [await plant(twice, 'an account'), await plant(twice, 'another')];
  await applyEachAlone(one.toReversed());
  assert.deepEqual(await applyTogether(other), [true, true]);
  assertSame(['first', 'second'], await rowsOf(other), await rowsOf(one));
});
