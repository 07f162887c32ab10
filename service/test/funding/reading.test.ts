import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import type { BankFunding, DepositLine } from '../../src/banks/index.ts';
import type { FundingDeps } from '../../src/funding/deps.ts';
import { readSource, type ReadOutcome } from '../../src/funding/read-source.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { noFailpoint } from '../../src/platform/failpoint.ts';
import { openPool } from '../../src/platform/database/pool.ts';
import { createSingleCalls } from '../../src/platform/database/single-call.ts';
import { newId } from '../../src/platform/ids.ts';
import { createLogger } from '../../src/platform/logging.ts';
import { createEncryptor } from '../../src/platform/encryption.ts';
import { createTestDatabase } from '../harness/database.ts';
import { createPartners } from '../harness/partners.ts';

// How far a source was read, with lists that the sandbox bank would take hours to fill: so the bank is the test's own.

const database = await createTestDatabase();
const logger = createLogger('test', 'silent');
const pool = openPool({ url: database.serviceUrl, connections: 2, applicationName: 'test', logger });
after(async () => pool.end());
const minuteMs = 60_000;
const now = systemClock.now().getTime();

/** The `n`th newest line, of a deposit of its own that says nothing new. */
function line(n: number, depositId = `deposit-${n}`): DepositLine {
  const at = new Date(now - n * minuteMs);
  const quiet = { wasProcessed: false, sentPence: null, net: null, fee: null, sender: null };
  const event = { ...quiet, depositId, bankState: 'funds_received', state: 'arriving' as const };
  return { id: `line-${n}`, at, changedAt: at, mayChange: false, event };
}

const notAsked = async (): Promise<never> => Promise.reject(new Error('not asked for here'));

function partsWith(listDeposits: BankFunding['listDeposits']): FundingDeps {
  const bank = { openAccount: notAsked, openAddress: notAsked, listDeposits };
  return {
    pool,
    calls: createSingleCalls(pool, noFailpoint),
    clock: systemClock,
    logger,
    encryptor: createEncryptor(new Map([[1, Buffer.alloc(32)]])),
    banks: { provider_sandbox: bank, provider_production: null },
    outbox: { post: notAsked },
    listAdmins: async () => [],
    dashboardUrl: null,
    recordActivity: async () => undefined,
  };
}

const listOf =
  (...lines: DepositLine[]): BankFunding['listDeposits'] =>
  async () => ({ lines, next: null });

interface Reached {
  read_upto: string | null;
  backfill_to: Date | null;
}

async function openSource(reached: Reached) {
  const [partnerEnvironment] = await createPartners(database, 1);
  assert(partnerEnvironment !== undefined);
  const id = newId(systemClock);
  await asAdmin(database.superuserUrl, async (client) => {
    await client.query(`update kelpie.partner_environments set rail = 'provider_sandbox' where partner_id = $1`, [
      partnerEnvironment.partnerId,
    ]);
    await client.query(
      `insert into kelpie.funding_sources (
         id, partner_id, environment, method, source_id, chain, address, opened_at, due_at, changed_at, read_upto, backfill_to
       ) values ($1, $2, 'sandbox', 'usdc', $1::uuid::text, 'base', '0x0', now(), now(), now(), $3, $4)`,
      [id, partnerEnvironment.partnerId, reached.read_upto, reached.backfill_to],
    );
  });
  const readReached = async (): Promise<Reached | undefined> =>
    asAdmin(database.superuserUrl, async (client) => {
      const { rows } = await client.query<Reached>(
        'select read_upto, backfill_to from kelpie.funding_sources where id = $1',
        [id],
      );
      return rows[0];
    });
  const read = async (list: BankFunding['listDeposits']): Promise<ReadOutcome> =>
    readSource(partsWith(list), { ...partnerEnvironment, id });
  return { readReached, read };
}

/** Puts a deposit out of reach: the bank's id of it is taken by a row of another partner. */
async function occupy(bankDepositId: string): Promise<() => Promise<void>> {
  const [other] = await createPartners(database, 1);
  await asAdmin(database.superuserUrl, async (client) =>
    client.query(
      `insert into kelpie.deposits (id, partner_id, environment, method, bank_deposit_id, state, revision, bank_state, updated_at)
       values (gen_random_uuid(), $1, 'sandbox', 'usdc', $2, 'pending', 1, 'x', now())`,
      [other?.partnerId, bankDepositId],
    ),
  );
  return async () => {
    await asAdmin(database.superuserUrl, async (client) => {
      await client.query('set session_replication_role = replica');
      await client.query('delete from kelpie.deposits where bank_deposit_id = $1', [bankDepositId]);
    });
  };
}

test('a list that is too long to be read leaves how far back it was to be read, for the next time', async () => {
  const reached = { read_upto: 'line-2', backfill_to: new Date(now - 90 * 24 * 60 * minuteMs) };
  const { read, readReached } = await openSource(reached);
  const endless: BankFunding['listDeposits'] = async (_, after_) => {
    const from = after_ === null ? 0 : Number(after_);
    return { lines: [{ ...line(from), event: null }], next: String(from + 1) };
  };
  assert.deepEqual(await read(endless), { kind: 'failed', text: 'the list of deposits is too long' });
  assert.deepEqual(await readReached(), reached);
  assert.equal((await read(listOf(line(0, 'short-0'), line(1, 'short-1')))).kind, 'read');
  assert.deepEqual(await readReached(), { read_upto: 'line-0', backfill_to: null });
});

test('it is never read past a deposit that could not be taken, and past it once it was', async () => {
  const { read, readReached } = await openSource({ read_upto: 'line-9', backfill_to: null });
  const free = await occupy('bad-2');
  const list = listOf(line(0, 'bad-0'), line(1, 'bad-1'), line(2, 'bad-2'), line(3, 'bad-3'), line(9, 'bad-9'));
  assert.deepEqual(await read(list), { kind: 'failed', text: '1 deposits could not be taken' });
  assert.deepEqual(await readReached(), { read_upto: 'line-3', backfill_to: null });
  await free();
  assert.deepEqual(await read(list), { kind: 'read', changes: 1 });
  assert.deepEqual(await readReached(), { read_upto: 'line-0', backfill_to: null });
});

test('one that a look back found, and could not be taken, is looked back for again', async () => {
  const reached = { read_upto: 'line-1', backfill_to: new Date(now - 10 * minuteMs) };
  const { read, readReached } = await openSource(reached);
  const free = await occupy('old-9');
  const list = listOf(line(0, 'old-0'), line(1, 'old-1'), line(9, 'old-9'), line(20, 'old-20'));
  assert.equal((await read(list)).kind, 'failed');
  assert.deepEqual(await readReached(), reached);
  await free();
  assert.deepEqual(await read(list), { kind: 'read', changes: 1 });
  assert.deepEqual(await readReached(), { read_upto: 'line-0', backfill_to: null });
});
