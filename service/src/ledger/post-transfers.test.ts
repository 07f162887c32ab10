import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { inspect } from 'node:util';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import * as fc from 'fast-check';
import { listedLines } from '../../test/harness/listed-lines.ts';
import { createTestDatabase } from '../../test/harness/database.ts';
import { createPartners } from '../../test/harness/partners.ts';
import { atSize } from '../../test/harness/sizes.ts';
import { systemClock } from '../platform/clock.ts';
import { noFailpoint } from '../platform/failpoint.ts';
import { openPool } from '../platform/database/pool.ts';
import { createSingleCalls } from '../platform/database/single-call.ts';
import { inTransaction, type PartnerContext } from '../platform/database/transaction.ts';
import { newId } from '../platform/ids.ts';
import { createLogger } from '../platform/logging.ts';
import {
  everything,
  getBalance,
  lockBalance,
  openWallet,
  postTransfers,
  verifyLedger,
  type Line,
  type Transfer,
} from './index.ts';
import { credit, debit } from './transfer.ts';

const histories = atSize(10_000);
const historiesInCall = 20;
const callsAtOnce = 4;
const mostBatches = 4;

const database = await createTestDatabase();
const logger = createLogger('test', 'silent');
const pool = openPool({ url: database.serviceUrl, connections: callsAtOnce, applicationName: 'test', logger });
const calls = createSingleCalls(pool, noFailpoint);
const readerPool = openPool({
  url: database.readerUrl,
  connections: callsAtOnce,
  applicationName: 'test',
  logger,
  pace: 'unhurried',
});
after(async () => {
  await pool.end();
  await readerPool.end();
});

async function createPartner(): Promise<PartnerContext> {
  const [owner] = await createPartners(database, 1);
  assert(owner !== undefined);
  return owner;
}

function transferOf(owner: PartnerContext, lines: readonly Line[]): Transfer {
  const id = newId(systemClock);
  return { id, ...owner, reason: 'correction', causeId: id, lines: listedLines(lines) };
}

/** A positive change fills the wallet, a negative one takes from it. */
function walletChange(owner: PartnerContext, change: bigint): Transfer {
  return transferOf(owner, [
    { account: 'bank_wallet', amount: change },
    { account: 'wallet', amount: -change },
  ]);
}

async function assertVerifies(): Promise<void> {
  const { differences } = await inTransaction(readerPool, 'shared', async (tx) => verifyLedger(tx, everything));
  assert.deepEqual(differences, []);
}

/** One transfer: on which of the history's wallets, and by how much. Zero is one that does not touch the wallet. */
interface Step {
  wallet: number;
  change: bigint;
}

const wallets = 3;
const step = fc.record({
  wallet: fc.nat({ max: wallets - 1 }),
  change: fc.oneof(fc.bigInt(-1_000n, 1_000n), fc.constantFrom(-1n, 1n, -1_000n, 1_000n)),
});
const history = fc.array(fc.array(step, { minLength: 1, maxLength: 12 }), {
  minLength: 1,
  maxLength: mostBatches,
});

/** The simplest thing that could be right: one transfer after the other, each granted if its wallet covers it. */
function runModel(batches: readonly Step[][]): { balances: bigint[]; posted: boolean[][] } {
  const balances = Array.from({ length: wallets }, () => 0n);
  const posted = batches.map((batch) =>
    batch.map(({ wallet, change }) => {
      const next = (balances[wallet] ?? 0n) + change;
      if (next < 0n) return false;
      balances[wallet] = next;
      return true;
    }),
  );
  return { balances, posted };
}

interface Run {
  batches: Step[][];
  owners: PartnerContext[];
}

function transfersOf({ batches, owners }: Run, at: number): Transfer[] {
  return (batches[at] ?? []).map(({ wallet, change }) => {
    const owner = owners[wallet];
    assert(owner !== undefined);
    if (change !== 0n) return walletChange(owner, change);
    return transferOf(owner, [
      { account: 'suspense', amount: 5n },
      { account: 'bank_wallet', amount: -5n },
    ]);
  });
}

async function balancesOf(owners: readonly PartnerContext[]): Promise<Map<string, bigint>> {
  const { rows } = await inTransaction(readerPool, 'shared', async (tx) =>
    tx.query<{ partner_id: string; balance: string }>(
      'select partner_id, balance_micro_usdc as balance from kelpie.wallets where partner_id = any ($1)',
      [owners.map((owner) => owner.partnerId)],
    ),
  );
  return new Map(rows.map((row) => [row.partner_id, BigInt(row.balance)]));
}

/** Several histories side by side: the first batches of all of them in one call, then the second ones, and so on. */
async function runLedger(runs: readonly Run[]): Promise<{ balances: bigint[]; posted: boolean[][] }[]> {
  const posted = runs.map((): boolean[][] => []);
  for (let at = 0; at < mostBatches; at += 1) {
    const transfers = runs.map((run) => transfersOf(run, at));
    const outcomes = await inTransaction(pool, 'batch', async (tx) => postTransfers(tx, transfers.flat()));
    for (const [run, own] of transfers.entries()) {
      const mine = outcomes.splice(0, own.length).map((outcome) => outcome.kind === 'posted');
      if (own.length > 0) posted[run]?.push(mine);
    }
  }
  const balances = await balancesOf(runs.flatMap((run) => run.owners));
  return runs.map((run, index) => ({
    balances: run.owners.map((owner) => balances.get(owner.partnerId) ?? -1n),
    posted: posted[index] ?? [],
  }));
}

test(`${histories} random histories of batches end as a simple model does, and the ledger verifies`, async (t) => {
  const owners = await createPartners(database, histories * wallets);
  const startedAt = performance.now();
  const samples = fc.sample(history, { numRuns: histories, seed: 20_261_115 });
  const runs = samples.map((batches, at): Run => ({ batches, owners: owners.slice(at * wallets, (at + 1) * wallets) }));
  const waiting = Array.from({ length: histories / historiesInCall }, (_, at) =>
    runs.slice(at * historiesInCall, (at + 1) * historiesInCall),
  );
  const runNext = async (): Promise<void> => {
    for (let group = waiting.pop(); group !== undefined; group = waiting.pop()) {
      const results = await runLedger(group);
      for (const [at, run] of group.entries()) {
        assert.deepEqual(results[at], runModel(run.batches), inspect(run.batches, { depth: 4 }));
      }
    }
  };
  await Promise.all(Array.from({ length: callsAtOnce }, runNext));
  t.diagnostic(`${samples.flat(2).length} transfers in ${Math.round(performance.now() - startedAt)} ms`);
  await assertVerifies();
});

test('a large transfer that its wallet can not cover does not keep a small one behind it from being posted', async () => {
  const owner = await createPartner();
  const outcomes = await inTransaction(pool, owner, async (tx) =>
    postTransfers(tx, [walletChange(owner, 100n), walletChange(owner, -150n), walletChange(owner, -40n)]),
  );
  assert.deepEqual(outcomes, [{ kind: 'posted' }, { kind: 'insufficient_funds', available: 100n }, { kind: 'posted' }]);
  assert.equal(await getBalance(calls, owner), 60n);
});

test('what follows a refused transfer of the same cause is refused with it, and nothing else is', async () => {
  const owner = await createPartner();
  const [causeId, otherId] = [newId(systemClock), newId(systemClock)];
  const ofBank: Line[] = [
    { account: 'suspense', amount: 5n },
    { account: 'bank_wallet', amount: -5n },
  ];
  const outcomes = await inTransaction(pool, owner, async (tx) =>
    postTransfers(tx, [
      { ...transferOf(owner, ofBank), causeId },
      { ...walletChange(owner, -1n), causeId },
      { ...transferOf(owner, ofBank), causeId },
      { ...walletChange(owner, 7n), causeId },
      { ...transferOf(owner, ofBank), causeId: otherId },
      { ...walletChange(owner, 9n), causeId: otherId },
    ]),
  );
  assert.deepEqual(
    outcomes.map(({ kind }) => kind === 'posted'),
    [true, false, false, false, true, true],
  );
  assert.equal(await getBalance(calls, owner), 9n);
  await assertVerifies();
});

test('a payout that is not covered, and would fail at once, leaves no refund behind', async () => {
  const owner = await createPartner();
  const causeId = newId(systemClock);
  const held = (reason: string, amount: bigint): Transfer => ({
    ...owner,
    id: newId(systemClock),
    causeId,
    reason,
    lines: [
      { account: 'wallet', amount },
      { account: 'held', amount: -amount },
    ],
  });
  const outcomes = await inTransaction(pool, owner, async (tx) =>
    postTransfers(tx, [held('payout.hold', 5n), held('payout.rejected', -5n)]),
  );
  assert(outcomes.every(({ kind }) => kind === 'insufficient_funds'));
  const { rows } = await inTransaction(readerPool, 'shared', async (tx) =>
    tx.query('select from kelpie.payout_refunds where payout_id = $1', [causeId]),
  );
  assert.equal(rows.length, 0);
});

test('a transfer that does not sum to zero in each currency is refused whole', async () => {
  const owner = await createPartner();
  const unbalanced: Line[][] = [
    [{ account: 'bank_wallet', amount: 5n }],
    [
      { account: 'bank_wallet', amount: 5n },
      { account: 'wallet', amount: -4n },
    ],
    [
      { account: 'bank_wallet', amount: 5n },
      { account: 'revenue', amount: -5n },
    ],
  ];
  for (const lines of unbalanced) {
    const posted = inTransaction(pool, owner, async (tx) =>
      postTransfers(tx, [walletChange(owner, 9n), transferOf(owner, lines)]),
    );
    await assert.rejects(posted, { code: '23514' });
  }
  assert.equal(await getBalance(calls, owner), 0n);
});

test('a transfer that was posted before can not be posted again', async () => {
  const owner = await createPartner();
  const transfer = walletChange(owner, 5n);
  await inTransaction(pool, owner, async (tx) => postTransfers(tx, [transfer]));
  await assert.rejects(
    inTransaction(pool, owner, async (tx) => postTransfers(tx, [transfer])),
    { code: '23505' },
  );
  assert.equal(await getBalance(calls, owner), 5n);
});

test('a hold that was posted before is refused as such, also where the wallet could not cover it twice', async () => {
  const owner = await createPartner();
  const hold = walletChange(owner, -100n);
  await inTransaction(pool, owner, async (tx) => postTransfers(tx, [walletChange(owner, 100n), hold]));
  await assert.rejects(
    inTransaction(pool, owner, async (tx) => postTransfers(tx, [hold])),
    { code: '23505' },
  );
});

test('an entry with a part missing is refused whole, also beside one that is refused for want of funds', async () => {
  const owner = await createPartner();
  const columns = (change: Partial<Record<'ids' | 'amounts', unknown[]>>): unknown[] => [
    change.ids ?? [newId(systemClock), newId(systemClock)],
    [1, 2],
    [owner.partnerId, owner.partnerId],
    [owner.environment, owner.environment],
    ['bank_wallet', 'wallet'],
    change.amounts ?? ['5', '-5'],
    ['test', 'test'],
    [owner.partnerId, owner.partnerId],
  ];
  for (const change of [
    { ids: [null, null] },
    { ids: [newId(systemClock)] },
    { amounts: ['5', null] },
    { amounts: ['5'] },
  ]) {
    const posted = inTransaction(pool, owner, async (tx) =>
      tx.query('select kelpie.post_transfers($1, $2, $3, $4, $5, $6, $7, $8)', columns(change)),
    );
    await assert.rejects(posted, { code: '23502' });
  }
  assert.equal(await getBalance(calls, owner), 0n);
});

test("a transaction that is one partner's posts nothing for another, and locks no wallet of theirs", async () => {
  const [mine, theirs] = await createPartners(database, 2);
  assert(mine !== undefined && theirs !== undefined);
  await assert.rejects(
    inTransaction(pool, mine, async (tx) => postTransfers(tx, [walletChange(theirs, 5n)])),
    { code: '42501' },
  );
  await assert.rejects(
    inTransaction(pool, mine, async (tx) => lockBalance(tx, theirs)),
    { code: '42501' },
  );
});

test('a transaction that says nothing of whose it is posts nothing and locks nothing', async () => {
  const owner = await createPartner();
  for (const work of [
    async () => inTransaction(pool, 'shared', async (tx) => postTransfers(tx, [walletChange(owner, 5n)])),
    async () => inTransaction(pool, 'shared', async (tx) => lockBalance(tx, owner)),
    async () => inTransaction(pool, 'batch', async (tx) => lockBalance(tx, owner)),
  ]) {
    await assert.rejects(work, { code: '42501' });
  }
});

test('a partner without a wallet can not be posted to', async () => {
  const owner = await createPartner();
  const elsewhere: PartnerContext = { ...owner, environment: 'live' };
  const posted = inTransaction(pool, elsewhere, async (tx) => postTransfers(tx, [walletChange(elsewhere, 5n)]));
  await assert.rejects(posted, { code: '23503' });
});

test('a new wallet is empty, and can not be opened with money in it or for somebody else', async () => {
  const [owner, other] = await createPartners(database, 2);
  assert(owner !== undefined && other !== undefined);
  await asAdmin(database.superuserUrl, async (client) =>
    client.query(
      `insert into kelpie.partner_environments (partner_id, environment, created_at, rail, bank_customer_id, bank_wallet_id)
       select id, 'live', now(), 'provider_production', 'none', 'none' from unnest($1::uuid[]) as id`,
      [[owner.partnerId, other.partnerId]],
    ),
  );
  const live: PartnerContext = { ...owner, environment: 'live' };
  await inTransaction(pool, live, async (tx) => openWallet(tx, live));
  assert.equal(await getBalance(calls, live), 0n);
  await assert.rejects(
    inTransaction(pool, live, async (tx) => openWallet(tx, { ...other, environment: 'live' })),
    { code: '42501' },
  );
  const planted = inTransaction(pool, { ...other, environment: 'live' }, async (tx) =>
    tx.query(`insert into kelpie.wallets values ($1, 'live', 5, 1)`, [other.partnerId]),
  );
  await assert.rejects(planted, { code: '42501' });
});

test('entries are only added: the database refuses to change or remove one, also for its owner', async () => {
  const owner = await createPartner();
  await inTransaction(pool, owner, async (tx) => postTransfers(tx, [walletChange(owner, 5n)]));
  const [partition] = await asAdmin(database.superuserUrl, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      'select tableoid::regclass::text as name from kelpie.ledger_entries limit 1',
    );
    return rows.map((row) => row.name);
  });
  assert(partition !== undefined);
  for (const sql of [
    'update kelpie.ledger_entries set amount = amount + 1',
    'delete from kelpie.ledger_entries',
    'truncate kelpie.ledger_entries',
    `truncate ${partition}`,
  ]) {
    await assert.rejects(
      inTransaction(pool, owner, async (tx) => tx.query(sql)),
      { code: '42501' },
    );
    await asAdmin(database.superuserUrl, async (client) => {
      await assert.rejects(client.query(sql), { code: '23001' });
    });
  }
});

test('the service can not move a balance past the ledger', async () => {
  const owner = await createPartner();
  await assert.rejects(
    inTransaction(pool, owner, async (tx) => tx.query('update kelpie.wallets set balance_micro_usdc = 5')),
    { code: '42501' },
  );
});

test('a reason that is not listed, or not for that account, is refused', async () => {
  const owner = await createPartner();
  const pairs: [reason: string, lines: Line[]][] = [
    ['payout.unheard_of', [debit('bank_wallet', 5n), credit('wallet', 5n)]],
    ['payout.hold', [debit('bank_wallet', 5n), credit('wallet', 5n)]],
    ['deposit.credited', [debit('bank_wallet', 5n), credit('fx', 5n)]],
  ];
  for (const [reason, lines] of pairs) {
    const id = newId(systemClock);
    const posted = inTransaction(pool, owner, async (tx) =>
      postTransfers(tx, [{ id, ...owner, reason, causeId: id, lines }]),
    );
    await assert.rejects(posted, { code: '23514', message: /not listed for its reason/ }, reason);
  }
});

test('an account without a currency takes no entry, not even one that sums to zero', async () => {
  const owner = await createPartner();
  await asAdmin(database.superuserUrl, async (client) => {
    await client.query(`alter type kelpie.ledger_account add value if not exists 'planted'`);
    const post = (amounts: readonly number[]) =>
      client.query(
        `select from kelpie.post_transfers(
           array_fill($1::uuid, array[2]), array[1, 2]::smallint[], array_fill($2::uuid, array[2]),
           array_fill('sandbox'::kelpie.environment, array[2]), array['planted', 'bank_wallet']::kelpie.ledger_account[],
           $3::bigint[], array_fill('correction'::text, array[2]), array_fill($1::uuid, array[2]))`,
        [newId(systemClock), owner.partnerId, amounts],
      );
    await client.query(`select set_config('kelpie.batch', 'on', false)`);
    for (const amounts of [
      [5, -5],
      [5, -4],
    ])
      await assert.rejects(post(amounts), { code: '23514' });
  });
});

test('every account has a currency', async () => {
  const without = await asAdmin(database.superuserUrl, async (client) => {
    const { rows } = await client.query<{ account: string }>(
      `select account::text from unnest(enum_range(null::kelpie.ledger_account)) as account
       where kelpie.currency_of(account) is null and account::text <> 'planted'`,
    );
    return rows;
  });
  assert.deepEqual(without, []);
});

test('what comes to a wallet first repays what its partner owes, in order of arrival, and no more than that', async () => {
  const owner = await createPartner();
  const reversed = { ...transferOf(owner, []), reason: 'deposit.reversed' };
  const owing = [debit('partner_receivable', 70n), credit('bank_wallet', 70n)];
  await inTransaction(pool, owner, async (tx) => postTransfers(tx, [{ ...reversed, lines: owing }]));
  const batch = [walletChange(owner, 50n), walletChange(owner, 30n), walletChange(owner, 5n)];
  const outcomes = await inTransaction(pool, owner, async (tx) => postTransfers(tx, batch));
  assert(outcomes.every(({ kind }) => kind === 'posted'));
  assert.equal(await getBalance(calls, owner), 15n);
  const entries = await asAdmin(database.superuserUrl, async (client) => {
    const { rows } = await client.query<{ nth: number; what: string }>(
      `select array_position($1::uuid[], transfer_id) as nth, line || ' ' || account || ' ' || amount as what
       from kelpie.ledger_entries where transfer_id = any ($1) order by 1, line`,
      [batch.map(({ id }) => id)],
    );
    return rows.map(({ nth, what }) => `${nth}: ${what}`);
  });
  const repaid = entries.filter((what) => /wallet -|receivable/.test(what));
  assert.deepEqual(repaid.toSorted(), [
    '1: 2 partner_receivable -50',
    '2: 2 wallet -10',
    '2: 3 partner_receivable -20',
    '3: 2 wallet -5',
  ]);
  const tooMuch = [debit('bank_wallet', 1n), credit('partner_receivable', 1n)];
  await assert.rejects(
    inTransaction(pool, owner, async (tx) =>
      postTransfers(tx, [{ ...transferOf(owner, []), reason: 'deposit.credited', lines: tooMuch }]),
    ),
    /debts_owed_micro_usdc_check/,
  );
  await assertVerifies();
});
