import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import {
  closePartner,
  deleteRows,
  digestRows,
  listPartnerTables,
  openPartner,
  readRows,
  writeRows,
} from '../../src/cells/cell-store.ts';
import type { PartnerMove } from '../../src/cells/move.ts';
import { openPool } from '../../src/platform/database/pool.ts';
import { createLogger } from '../../src/platform/logging.ts';
import { prepareForCells, urlForCells } from '../harness/cells.ts';
import { createPayout, getPayout, payoutBody } from '../harness/client.ts';
import { createTestDatabase } from '../harness/database.ts';
import { createSimulatedPartner, type TestPartner } from '../harness/partners.ts';
import { startApi, startWorker } from '../harness/processes.ts';

const database = await createTestDatabase();
await prepareForCells(database.superuserUrl, 'cell');
const mover = openPool({
  url: urlForCells(database.superuserUrl, 'kelpie_mover'),
  connections: 2,
  applicationName: 'kelpie-test',
  logger: createLogger('test', 'silent'),
});
after(async () => mover.end());
const { url } = await startApi({ database });
await startWorker({ database });
const other = await createSimulatedPartner(database);

function moveOf({ partnerId }: TestPartner): PartnerMove {
  const state = 'prepare';
  return {
    id: randomUUID(),
    partnerId,
    fromCell: 'a',
    toCell: 'b',
    state,
    attempt: '1',
    position: null,
    heldMs: null,
    freezeMs: null,
  };
}

async function countPayouts({ partnerId }: TestPartner, connection = database.superuserUrl): Promise<number> {
  return asAdmin(connection, async (client) => {
    const { rows } = await client.query<{ count: number }>(
      'select count(*)::int as count from kelpie.payouts where partner_id = $1',
      [partnerId],
    );
    return rows[0]?.count ?? 0;
  });
}

test('nothing of a closed partner is seen or written, others go on, and it goes on once it is opened', async () => {
  const closed = await createSimulatedPartner(database);
  const before = await createPayout({ url, key: closed.key });
  assert.equal(before.status, 201);
  const move = moveOf(closed);
  await closePartner(mover, move, 'leaving');
  const key = randomUUID();
  // In one batch, as far as they arrive together.
  const answers = await Promise.all([
    createPayout({ url, key: closed.key }, payoutBody(), key),
    ...Array.from({ length: 5 }, async () => createPayout({ url, key: other.key })),
  ]);
  assert.deepEqual(
    answers.map(({ status }) => status),
    [401, 201, 201, 201, 201, 201],
  );
  await eventually(
    'the other partner is paid',
    async () => (await getPayout({ url, key: other.key }, answers[1]?.id ?? '')).payout === 'completed',
  );
  assert.equal(await countPayouts(closed), 1);
  // What stays behind explains the days that were closed over it.
  assert.equal(await countPayouts(closed, database.readerUrl), 1);
  await openPartner(mover, move);
  const again = await createPayout({ url, key: closed.key }, payoutBody(), key);
  assert.equal(again.status, 201);
  await eventually('both are paid', async () => {
    const both = await Promise.all([before, again].map(async ({ id }) => getPayout({ url, key: closed.key }, id)));
    return both.every(({ payout }) => payout === 'completed');
  });
});

test('a partner is closed by one move at a time, and what is gone stays closed', async () => {
  const partner = await createSimulatedPartner(database);
  const [first, second] = [moveOf(partner), moveOf(partner)];
  await closePartner(mover, first, 'leaving');
  await assert.rejects(closePartner(mover, second, 'leaving'), { code: 'KP462' });
  await closePartner(mover, first, 'gone');
  await openPartner(mover, first);
  await assert.rejects(closePartner(mover, first, 'leaving'), { code: 'KP462' });
});

test('rows are written for a partner that is arriving, and for no other', async () => {
  const partner = await createSimulatedPartner(database);
  const move = moveOf(partner);
  const page = await readRows(mover, 'wallets', partner.partnerId, { since: null, after: null, atMost: 10 });
  assert.equal(page.count, 1);
  await assert.rejects(writeRows(mover, 'wallets', move, page.rows ?? ''), { code: 'KP460' });
  await assert.rejects(deleteRows(mover, 'wallets', move), { code: 'KP460' });
  // It lives here: an abort would delete it.
  await assert.rejects(closePartner(mover, move, 'arriving'), { code: 'KP462' });
  const arriving = { ...move, partnerId: randomUUID() };
  await closePartner(mover, arriving, 'arriving');
  await assert.rejects(writeRows(mover, 'wallets', arriving, page.rows ?? ''), { code: '42501' });
  // A mover that was replaced.
  await closePartner(mover, { ...arriving, attempt: '2' }, 'arriving');
  await assert.rejects(deleteRows(mover, 'wallets', arriving), { code: 'KP460' });
});

test('the mover reads no table by itself', async () => {
  for (const name of ['payouts', 'api_keys', 'wallets'])
    await assert.rejects(mover.query(`select from kelpie.${name}`), { code: '42501' });
});

test('every table with rows of partners is copied, and has the rule', async () => {
  const tables = await listPartnerTables(mover);
  const { rows } = await asAdmin(database.superuserUrl, async (client) =>
    client.query<{ name: string; policies: number }>(
      `select c.relname as name, count(p.*)::int as policies
       from pg_class c left join pg_policy p on p.polrelid = c.oid and p.polname like 'cells\\_%'
       where c.relnamespace = 'kelpie'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
         and c.relrowsecurity
       group by c.relname order by c.relname`,
    ),
  );
  assert.deepEqual(
    tables.map(({ name }) => ({ name, policies: 3 })),
    rows,
  );
  assert(tables.some(({ name, isIncremental }) => name === 'payouts' && isIncremental));
});

test('the digest of a table changes with any value in it', async () => {
  const partner = await createSimulatedPartner(database);
  const was = await digestRows(mover, 'wallets', partner.partnerId);
  await asAdmin(database.superuserUrl, async (client) =>
    client.query('update kelpie.wallets set version = version + 1 where partner_id = $1', [partner.partnerId]),
  );
  assert.notEqual(await digestRows(mover, 'wallets', partner.partnerId), was);
});
