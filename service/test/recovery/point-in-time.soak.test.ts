import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { startChild } from '@kelpie/dev/child-process.ts';
import { eventually } from '@kelpie/dev/eventually.ts';
import { textAt, valueAt } from '@kelpie/dev/json.ts';
import { startOwnServer } from '@kelpie/dev/postgres/own-server.ts';
import { beginAudit, prepareDatabase } from '@kelpie/dev/postgres/prepare.ts';
import { asAdmin, urlFor } from '@kelpie/dev/postgres/roles.ts';
import { orderIdOf } from '../../src/payouts/model/order.ts';
import { asSecondPerson, kelpieEnv } from '../app/commands/kelpie-admin.ts';
import { payoutBody, type ApiAnswer } from '../harness/client.ts';
import { assertAllHolds, countStates } from '../harness/invariants.ts';
import { testSecrets } from '../harness/secrets.ts';
import { untilQuiet } from '../harness/waits.ts';
import { startRecoveryWorld } from './restoring.ts';

// A real restore: a base backup, the write-ahead log that was archived since, and a point in time before the payouts. The
// bank has them all, and its record says what was paid.

const lost = 1_000;
const atOnce = 25;

const server = await startOwnServer();
after(async () => server.remove());
const urls = await prepareDatabase(server.adminUrl);
await beginAudit(urls, testSecrets.KELPIE_AUDIT_KEY);
const database = { ...urls, superuserUrl: urlFor(server.adminUrl, 'kelpie') };
const world = await startRecoveryWorld({ database });
const body = payoutBody({ amount_gbp: '3.00' });

async function payAll(keys: readonly string[]): Promise<ApiAnswer[]> {
  const answers: ApiAnswer[] = [];
  const waiting = [...keys];
  const payer = async (): Promise<void> => {
    for (let key = waiting.shift(); key !== undefined; key = waiting.shift()) answers.push(await world.pay(key, body));
  };
  await Promise.all(Array.from({ length: atOnce }, payer));
  return answers;
}

async function sql<Row extends object>(text: string): Promise<Row[]> {
  return asAdmin(database.superuserUrl, async (admin) => (await admin.query<Row>(text)).rows);
}

async function countRecovered(): Promise<number> {
  const [row] = await sql<{ count: number }>(
    'select count(*)::int as count from kelpie.payouts where recovered_at is not null',
  );
  return row?.count ?? 0;
}

/** The command as a process of its own, to be killed. */
function startImport() {
  return startChild({
    name: 'kelpie-admin recovery import',
    file: 'service/src/app/cli.ts',
    args: ['recovery', 'import', '--json'],
    env: { ...kelpieEnv(database), ...world.adminEnv },
  });
}

test(`faults 12: ${lost} live payouts that a point-in-time restore forgot are rebuilt, none is sent again, and none is paid twice`, async (t) => {
  const kept = Array.from({ length: 20 }, () => randomUUID());
  const forgotten = Array.from({ length: lost }, () => randomUUID());
  const before = await payAll(kept);
  assert(before.every(({ status }) => status === 201));
  await world.settle();
  await server.takeBaseBackup();
  const also = randomUUID();
  assert.equal((await world.pay(also, body)).status, 201);
  await world.settle();
  // In the log that is rolled forward, and not in the base backup.
  await sql(`select pg_create_restore_point('before_the_payouts')`);
  await world.beat();
  const first = await payAll(forgotten);
  assert(first.every(({ status }) => status === 201));
  await world.settle();
  const [switched] = await sql<{ wal: string }>('select pg_walfile_name(pg_switch_wal()) as wal');
  const paidBefore = (await world.bank.record()).payments.length;
  assert.equal(paidBefore, kept.length + 1 + lost);

  await Promise.all([world.api.stop(), world.worker?.stop()]);
  await eventually('the log is archived', async () => {
    const [row] = await sql<{ wal: string }>('select last_archived_wal as wal from pg_stat_archiver');
    return switched !== undefined && row !== undefined && row.wal >= switched.wal;
  });
  await server.stop();
  await server.restoreTo('before_the_payouts');
  await world.restartApi();
  await world.restartWorker();
  assert.deepEqual(await countStates(database), { completed: kept.length + 1 });
  assert.deepEqual(await sql('select cause from kelpie.payment_blocks'), [{ cause: 'recovery' }]);
  const closed = await world.pay(randomUUID(), body);
  assert.equal(valueAt(closed.json, 'error.details.reason'), 'recovery', closed.text);

  await world.moveTime(61_000);
  const startedAt = performance.now();
  const killed = startImport();
  await eventually('half of them', async () => (await countRecovered()) > lost / 2, 120_000);
  killed.kill('SIGKILL');
  await killed.exited;
  assert((await countRecovered()) < lost);
  const imported = await world.admin(['recovery', 'import', '--json']);
  assert.equal(imported.code, 0, imported.said);
  assert.equal(await countRecovered(), lost);
  t.diagnostic(`rebuilt ${lost} payouts in ${Math.round(performance.now() - startedAt)} ms, killed once`);
  await world.settle();
  await untilQuiet(database, { timeoutMs: 60_000 });

  const again = await payAll(forgotten);
  assert(again.every(({ status }) => status === 200));
  const recovered = await sql<{ id: string; order: string }>(
    'select id, order_id as order from kelpie.payouts where recovered_at is not null and idempotency_key is not null',
  );
  assert.deepEqual(
    recovered.map(({ order }) => order).toSorted(),
    forgotten.map((key) => orderIdOf(world.partner, key)).toSorted(),
  );
  assert.deepEqual(new Set(again.map(({ id }) => id)), new Set(recovered.map(({ id }) => id)));
  assert.equal((await world.bank.record()).payments.length, paidBefore);
  const verified = await world.admin(['ledger', 'verify', '--json']);
  assert.equal(verified.code, 0, verified.said);

  const proposed = await world.admin(['recovery', 'open', '--reason', 'imported', '--json']);
  const approval = ['approvals', 'approve', textAt(proposed.data(), 'id'), '--json'];
  const approved = await world.admin(approval, asSecondPerson(database));
  assert.equal(approved.code, 0, approved.said);
  const next = await world.pay(randomUUID(), body);
  assert.equal(next.status, 201, next.text);
  await world.settle();
  await assertAllHolds({ ...world, acknowledged: [...before, ...again, next].map(({ id }) => id) });
});
