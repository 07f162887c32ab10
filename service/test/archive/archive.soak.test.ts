import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { startChild } from '@kelpie/dev/child-process.ts';
import { textAt, valueAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { kelpieAdmin, kelpieEnv } from '../app/commands/kelpie-admin.ts';
import { call, createPayout, payoutBody, type Client } from '../harness/client.ts';
import { assertBooksHold } from '../harness/invariants.ts';
import { startApi } from '../harness/processes.ts';
import { startOldMonth } from './old-month.ts';

const world = await startOldMonth();
const { database, month, env, partners } = world;
const [partner, other] = partners;
assert(partner !== undefined && other !== undefined);
const client = world.clientOf(partner);
const [first] = partner.payouts;
assert(first !== undefined);
const monthEnds = new Date(`${month}-01T00:00:00Z`);
monthEnds.setUTCMonth(monthEnds.getUTCMonth() + 1);

async function admin(...args: string[]) {
  return kelpieAdmin(database, [...args, '--json'], env);
}

/** Every read of a partner that reaches the month, page by page. */
async function readEverything(reader: Client): Promise<Map<string, string>> {
  const answers = new Map<string, string>();
  const read = async (path: string): Promise<string | null> => {
    const { status, text, headers } = await call(reader, path);
    answers.set(path, `${status} ${text}`);
    return /<[^>]*?(\/v1[^>]*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1] ?? null;
  };
  for (const { id } of partner?.payouts ?? [])
    for (const part of ['', '/history', '/recipient']) await read(`/v1/payouts/${id}${part}`);
  const created = `created_after=${month}-01T00:00:00Z&created_before=${monthEnds.toISOString()}`;
  const lists = [
    '/v1/payouts?limit=4',
    '/v1/payouts?limit=100',
    `/v1/payouts?limit=3&${created}`,
    '/v1/payouts?limit=2&reference=Order%201',
    '/v1/payouts?status=completed&limit=5',
    '/v1/payouts?status=failed',
    '/v1/payouts?account_last4=5678',
    '/v1/payouts?created_via=api&limit=7',
    `/v1/payouts?idempotency_key=${first?.key}`,
    '/v1/payouts.csv',
    `/v1/payouts.csv?${created}`,
    `/v1/statement?month=${month}&limit=5`,
    `/v1/statement?month=${month}&format=csv`,
    `/v1/statement?month=${monthEnds.toISOString().slice(0, 7)}`,
  ];
  for (const list of lists)
    for (let path: string | null = list, pages = 0; path !== null && pages < 20; pages += 1) path = await read(path);
  return answers;
}

async function assertSame(before: Map<string, string>, when: string): Promise<void> {
  const now = await readEverything(client);
  for (const [path, text] of before) assert.equal(now.get(path), text, `${path} ${when}`);
  assert.deepEqual([...now.keys()], [...before.keys()]);
}

async function assertRefused(asked: string, why: RegExp): Promise<void> {
  const refused = await admin('archive', 'month', asked);
  assert.deepEqual([refused.code, textAt(refused.json(), 'error.code')], [2, 'month_not_ready']);
  assert.match(textAt(refused.json(), 'error.message'), why);
}

/** Runs the command until it kills itself there. */
async function killedAt(point: string, command: 'month' | 'return'): Promise<void> {
  const child = startChild({
    name: 'kelpie-admin',
    file: 'service/src/app/cli.ts',
    args: ['archive', command, month],
    env: { ...kelpieEnv(database), ...env, KELPIE_TEST_FAILPOINT: `${point}*1` },
  });
  const { signal } = await child.exited;
  assert.equal(signal, 'SIGKILL', `${point}: ${child.output()}`);
}

/** Changes one byte of a file, and says how to change it back. */
async function flipByte(kind: string): Promise<() => Promise<void>> {
  const names = await readdir(world.folder);
  const file = join(world.folder, names.find((name) => name.endsWith(kind)) ?? '');
  const bytes = await readFile(file);
  const changed = Buffer.from(bytes);
  changed[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
  await writeFile(file, changed);
  return async () => writeFile(file, bytes);
}

async function countEntriesOf(payoutId: string): Promise<number> {
  const { rows } = await asAdmin(database.superuserUrl, async (sql) =>
    sql.query<{ count: number }>('select count(*)::int as count from kelpie.ledger_entries where cause_id = $1', [
      payoutId,
    ]),
  );
  return rows[0]?.count ?? 0;
}

const before = await readEverything(client);

test('a month with a day that is not closed stays', async () => {
  await assertRefused(month, /A day of it is not closed/);
});

test('a month that ended less than 13 months ago stays', async () => {
  await assertRefused(monthEnds.toISOString().slice(0, 7), /less than 13 months ago/);
});

test('days without a difference are closed', async () => {
  assert.equal(await world.closeDays(new Date(monthEnds.getTime() + 3 * 24 * 3_600_000)), 0);
});

test('a month that lost an entry after it was verified does not leave', async () => {
  await killedAt('archive.files_written', 'month');
  await asAdmin(database.superuserUrl, async (sql) => {
    await sql.query('set session_replication_role = replica');
    await sql.query('create table public.lost as select * from kelpie.ledger_entries where cause_id = $1 limit 1', [
      first.id,
    ]);
    await sql.query(
      'delete from kelpie.ledger_entries e using public.lost l where (e.transfer_id, e.line) = (l.transfer_id, l.line)',
    );
    await assert.rejects(
      sql.query(`select kelpie.digest_moving_entries($1)`, [`${month}-01`]),
      /had \d+ entries when its days were closed, and has \d+/,
    );
    await sql.query('insert into kelpie.ledger_entries select * from public.lost');
    await sql.query('drop table public.lost');
  });
});

test('archiving that was stopped leaves the month as it was', async () => {
  await killedAt('archive.files_written', 'month');
  const { code, said } = await admin('archive', 'stop', month);
  assert.equal(code, 0, said);
  assert.deepEqual(
    (await readdir(world.folder)).filter((name) => name.startsWith(month)),
    [],
  );
});

test('a month in the archive is answered byte for byte as before, after kills at each step and while payouts are created', async () => {
  const over = new AbortController();
  const traffic = (async () => {
    for (let nth = 0; !over.signal.aborted; nth += 1) {
      const { status, text } = await createPayout(world.clientOf(other), payoutBody({ reference: `Now ${nth}` }));
      assert.equal(status, 201, text);
    }
  })();
  for (const point of ['archive.begun', 'archive.files_written', 'archive.written', 'archive.before_drop']) {
    await killedAt(point, 'month');
    await assertSame(before, `after a kill at ${point}`);
  }
  assert.equal((await admin('archive', 'list')).code, 0);
  const moved = await admin('archive', 'month', month);
  assert.equal(moved.code, 0, moved.said);
  assert.equal(valueAt(moved.data(), 'payouts'), 16);
  assert((await countEntriesOf(first.id)) === 0, 'its entries have left');
  over.abort();
  await traffic;
  await assertSame(before, 'in the archive');
});

test('a payout in the archive is not there for another partner', async () => {
  for (const part of ['', '/history']) {
    const { status, code } = await call(world.clientOf(other), `/v1/payouts/${first.id}${part}`);
    assert.deepEqual([status, code], [404, 'not_found']);
  }
});

test('a key whose payout is in the archive still stands for it', async () => {
  const body = payoutBody({ reference: 'Order 0' });
  const replayed = await createPayout(client, body, first.key);
  assert.deepEqual([replayed.status, replayed.id], [200, first.id], replayed.text);
  const reused = await createPayout(client, payoutBody({ amount_gbp: '2.00' }), first.key);
  assert.equal(reused.code, 'idempotency_key_reused', reused.text);
});

test('a payout in the archive cannot be cancelled or stepped', async () => {
  const cancelled = await call(client, `/v1/payouts/${first.id}/cancel`, { method: 'POST' });
  assert.equal(cancelled.code, 'payout_not_cancellable', cancelled.text);
});

test('the ledger is proved by the files of a month that left', async () => {
  const { code, said } = await admin('ledger', 'verify', '--all');
  assert.equal(code, 0, said);
  assert.equal(await world.closeDays(new Date(monthEnds.getTime() + 4 * 24 * 3_600_000)), 0);
  const verified = await admin('archive', 'verify');
  assert.equal(verified.code, 0, verified.said);
});

test('a key of a payout in the archive that was deleted is found', async () => {
  await asAdmin(database.superuserUrl, async (sql) => {
    await sql.query('set session_replication_role = replica');
    await sql.query('create table public.kept_key as select * from kelpie.idempotency_keys where payout_id = $1', [
      first.id,
    ]);
    await sql.query('delete from kelpie.idempotency_keys where payout_id = $1', [first.id]);
  });
  const { code, said } = await admin('ledger', 'verify', '--all');
  assert.equal(code, 1);
  assert.match(said, /key stands for another payout/);
  await asAdmin(database.superuserUrl, async (sql) => {
    await sql.query('set session_replication_role = replica');
    await sql.query('insert into kelpie.idempotency_keys select * from public.kept_key; drop table public.kept_key');
  });
});

for (const { kind, reads } of [
  { kind: '.payouts', reads: `/v1/payouts/${first.id}` },
  { kind: '.entries', reads: `/v1/statement?month=${month}` },
])
  test(`a changed bit in the file of ${kind} is refused, with an alarm, and found by verification`, async () => {
    const restore = await flipByte(kind);
    const fresh = await startApi({ database, env });
    const { status, code } = await call({ ...client, url: fresh.url }, reads);
    assert.deepEqual([status, code], [503, 'unavailable']);
    await fresh.waitForEvent('archive.unreadable');
    assert.equal((await admin('archive', 'verify')).code, 1);
    const { code: verified, said } = await admin('ledger', 'verify', '--all');
    assert.equal(verified, 1);
    assert.match(said, /archive is not what was written/);
    await restore();
    assert.equal((await admin('archive', 'verify')).code, 0);
  });

test('a month that comes back is answered as before, and its files are gone', async () => {
  for (const point of ['archive.return_begun', 'archive.loaded']) {
    await killedAt(point, 'return');
    await assertSame(before, `after a kill at ${point}`);
  }
  const { code, said } = await admin('archive', 'return', month);
  assert.equal(code, 0, said);
  await assertSame(before, 'back from the archive');
  const { code: verified, said: differences } = await admin('ledger', 'verify', '--all');
  assert.equal(verified, 0, differences);
  await assertBooksHold(database);
});
