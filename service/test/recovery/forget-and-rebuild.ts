import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { startChild, type Child } from '@kelpie/dev/child-process.ts';
import { eventually } from '@kelpie/dev/eventually.ts';
import { textAt, valueAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { orderIdOf } from '../../src/payouts/model/order.ts';
import { asSecondPerson, kelpieEnv } from '../app/commands/kelpie-admin.ts';
import { payoutBody, type ApiAnswer } from '../harness/client.ts';
import { assertAllHolds, countStates } from '../harness/invariants.ts';
import { untilQuiet } from '../harness/waits.ts';
import type { RecoveryWorld } from './restoring.ts';

/** A server, or a cluster of them, that can go back to a moment. */
export interface RestorableServer {
  takeBackup(): Promise<void>;
  /** The moment to go back to. */
  markMoment(): Promise<void>;
  /** All that was written since is archived by now, and no process of the service runs. */
  restore(): Promise<void>;
}

const atOnce = 25;
const kept = 20;
const body = payoutBody({ amount_gbp: '3.00' });

async function payAll(world: RecoveryWorld, keys: readonly string[]): Promise<ApiAnswer[]> {
  const answers: ApiAnswer[] = [];
  const waiting = [...keys];
  const payer = async (): Promise<void> => {
    for (let key = waiting.shift(); key !== undefined; key = waiting.shift()) answers.push(await world.pay(key, body));
  };
  await Promise.all(Array.from({ length: atOnce }, payer));
  return answers;
}

async function sql<Row extends object>({ database }: RecoveryWorld, text: string): Promise<Row[]> {
  return asAdmin(database.superuserUrl, async (admin) => (await admin.query<Row>(text)).rows);
}

async function countRecovered(world: RecoveryWorld): Promise<number> {
  const [row] = await sql<{ count: number }>(
    world,
    'select count(*)::int as count from kelpie.payouts where recovered_at is not null',
  );
  return row?.count ?? 0;
}

/** The command as a process of its own, to be killed. */
function startImport(world: RecoveryWorld): Child {
  return startChild({
    name: 'kelpie-admin recovery import',
    file: 'service/src/app/cli.ts',
    args: ['recovery', 'import', '--json'],
    env: { ...kelpieEnv(world.database), ...world.adminEnv },
  });
}

async function untilArchived(world: RecoveryWorld): Promise<void> {
  const [switched] = await sql<{ wal: string }>(world, 'select pg_walfile_name(pg_switch_wal()) as wal');
  await eventually('the log is archived', async () => {
    const [row] = await sql<{ wal: string }>(world, 'select last_archived_wal as wal from pg_stat_archiver');
    return switched !== undefined && row !== undefined && row.wal >= switched.wal;
  });
}

/** Imports twice: the first run is killed half way. */
async function importAll(world: RecoveryWorld, lost: number): Promise<void> {
  await world.moveTime(61_000);
  const killed = startImport(world);
  await eventually('half of them', async () => (await countRecovered(world)) > lost / 2, 120_000);
  killed.kill('SIGKILL');
  await killed.exited;
  assert((await countRecovered(world)) < lost);
  const imported = await world.admin(['recovery', 'import', '--json']);
  assert.equal(imported.code, 0, imported.said);
  assert.equal(await countRecovered(world), lost);
}

/** The partner repeats its requests: each finds the payout that was rebuilt, and nothing is paid. */
async function repeatAll(world: RecoveryWorld, forgotten: readonly string[]): Promise<ApiAnswer[]> {
  const again = await payAll(world, forgotten);
  assert(again.every(({ status }) => status === 200));
  const recovered = await sql<{ id: string; order: string }>(
    world,
    'select id, order_id as order from kelpie.payouts where recovered_at is not null and idempotency_key is not null',
  );
  assert.deepEqual(
    recovered.map(({ order }) => order).toSorted(),
    forgotten.map((key) => orderIdOf(world.partner, key)).toSorted(),
  );
  assert.deepEqual(new Set(again.map(({ id }) => id)), new Set(recovered.map(({ id }) => id)));
  return again;
}

async function openAgain(world: RecoveryWorld): Promise<void> {
  const proposed = await world.admin(['recovery', 'open', '--reason', 'imported', '--json']);
  const approval = ['approvals', 'approve', textAt(proposed.data(), 'id'), '--json'];
  const approved = await world.admin(approval, asSecondPerson(world.database));
  assert.equal(approved.code, 0, approved.said);
}

/**
 * Pays, goes back to a moment before, and rebuilds what was lost from the bank's records, as docs/runbooks/restore.md says.
 * The bank's own record is the judge: it has each payment once, before and after.
 */
export async function forgetAndRebuild(
  world: RecoveryWorld,
  server: RestorableServer,
  { lost, say }: { lost: number; say: (text: string) => void },
): Promise<void> {
  const forgotten = Array.from({ length: lost }, () => randomUUID());
  const before = await payAll(
    world,
    Array.from({ length: kept }, () => randomUUID()),
  );
  assert(before.every(({ status }) => status === 201));
  await world.settle();
  await server.takeBackup();
  // In the log that is rolled forward, and not in the backup.
  const also = await world.pay(randomUUID(), body);
  assert.equal(also.status, 201);
  await world.settle();
  await server.markMoment();
  await world.beat();
  assert((await payAll(world, forgotten)).every(({ status }) => status === 201));
  await world.settle();
  const paidBefore = (await world.bank.record()).payments.length;
  assert.equal(paidBefore, kept + 1 + lost);
  await Promise.all([world.api.stop(), world.worker?.stop()]);
  await untilArchived(world);

  const restoringAt = performance.now();
  await server.restore();
  say(`restored in ${Math.round(performance.now() - restoringAt)} ms`);
  await world.restartApi();
  await world.restartWorker();
  assert.deepEqual(await countStates(world.database), { completed: kept + 1 });
  assert.deepEqual(await sql(world, 'select cause from kelpie.payment_blocks'), [{ cause: 'recovery' }]);
  const closed = await world.pay(randomUUID(), body);
  assert.equal(valueAt(closed.json, 'error.details.reason'), 'recovery', closed.text);

  const importingAt = performance.now();
  await importAll(world, lost);
  say(`rebuilt ${lost} payouts in ${Math.round(performance.now() - importingAt)} ms, killed once`);
  await world.settle();
  await untilQuiet(world.database, { timeoutMs: 60_000 });
  const again = await repeatAll(world, forgotten);
  assert.equal((await world.bank.record()).payments.length, paidBefore);
  const verified = await world.admin(['ledger', 'verify', '--json']);
  assert.equal(verified.code, 0, verified.said);
  await openAgain(world);
  const next = await world.pay(randomUUID(), body);
  assert.equal(next.status, 201, next.text);
  await world.settle();
  await assertAllHolds({ ...world, acknowledged: [...before, also, ...again, next].map(({ id }) => id) });
}
