import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { kelpieAdmin, type CommandResult } from '../app/commands/kelpie-admin.ts';
import { createPayout, payoutBody, type ApiAnswer } from '../harness/client.ts';
import { createTestClock, passTime, type TestClock } from '../harness/clock.ts';
import type { TestDatabase } from '../harness/database.ts';
import { untilQuiet } from '../harness/waits.ts';
import { startWorld, type World } from '../harness/world.ts';

type AtEnd = (end: () => Promise<unknown>) => void;

/** A file outside the database, for one test file. */
export function createAnchorFile(atEnd: AtEnd = after): string {
  const file = path.join(tmpdir(), `kelpie-heartbeat-${randomUUID()}`);
  atEnd(async () => rmSync(file, { force: true }));
  return file;
}

/** What a restore leaves alone: how the tables are, and what operators did, which its own chain protects. */
const notRestored = ['migrations', 'functions', 'audit_log', 'audit_head'];

async function tablesOf(superuserUrl: string): Promise<string[]> {
  return asAdmin(superuserUrl, async (admin) => {
    const { rows } = await admin.query<{ name: string }>(
      `select relname as name from pg_class
       where relnamespace = 'kelpie'::regnamespace and relkind in ('r', 'p') and not relispartition
         and relname <> all ($1) order by 1`,
      [notRestored],
    );
    return rows.map(({ name }) => name);
  });
}

/** Copies every table aside. A restore of these is not a point-in-time restore, but leaves the same behind, in no time. */
export async function takeBackup({ superuserUrl }: TestDatabase): Promise<void> {
  const tables = await tablesOf(superuserUrl);
  await asAdmin(superuserUrl, async (admin) => {
    await admin.query('drop schema if exists backup cascade; create schema backup');
    await admin.query('begin isolation level repeatable read');
    for (const name of tables) await admin.query(`create table backup.${name} as select * from kelpie.${name}`);
    await admin.query('commit');
  });
}

const deadlock = '40P01';
const mostTries = 5;

function isDeadlock(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === deadlock;
}

/** An api that still runs records its minutes in these tables, too: whichever of the two the server ends tries again. */
export async function restoreBackup({ superuserUrl }: Pick<TestDatabase, 'superuserUrl'>, tries = 1): Promise<void> {
  const tables = await tablesOf(superuserUrl);
  try {
    await asAdmin(superuserUrl, async (admin) => {
      // No trigger fires and no reference is checked, as in a restore.
      await admin.query('begin; set local session_replication_role = replica');
      for (const name of tables) {
        await admin.query(`delete from kelpie.${name}`);
        await admin.query(`insert into kelpie.${name} overriding system value select * from backup.${name}`);
      }
      await admin.query('commit');
    });
  } catch (error) {
    if (!isDeadlock(error) || tries === mostTries) throw error;
    await restoreBackup({ superuserUrl }, tries + 1);
  }
}

export async function readHeartbeat({ superuserUrl }: TestDatabase): Promise<bigint> {
  return asAdmin(superuserUrl, async (admin) => {
    const { rows } = await admin.query<{ number: string }>('select number from kelpie.heartbeat');
    return BigInt(rows[0]?.number ?? 0);
  });
}

export interface RecoveryWorld extends World {
  clock: TestClock;
  anchorFile: string;
  /** The settings of an operator besides those of the database. */
  adminEnv: Readonly<Record<string, string>>;
  admin(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<CommandResult>;
  moveTime(byMs: number): Promise<void>;
  pay(key: string, body?: Record<string, unknown>): Promise<ApiAnswer>;
  /** A new heartbeat, in the database and its anchor. */
  beat(): Promise<void>;
  /** Until every payout is at its end, and the bank has sent all of its webhooks. */
  settle(): Promise<void>;
  /** The bank's own record of what it paid for an order. */
  paymentsOf(orderId: string): Promise<number>;
}

/** Real processes with a live bank and an anchor, and operators who can act on them. */
export async function startRecoveryWorld(
  options: { database?: TestDatabase; atEnd?: AtEnd } = {},
): Promise<RecoveryWorld> {
  const clock = createTestClock(options);
  const anchorFile = createAnchorFile(options.atEnd);
  const env = { KELPIE_TEST_CLOCK_FILE: clock.file, KELPIE_HEARTBEAT_ANCHOR: anchorFile };
  const world = await startWorld({ environment: 'live', env, ...options });
  const { bank, database } = world;
  const bankEnv = { KELPIE_LIVE_BANK_URL: bank.wireUrl, KELPIE_LIVE_BANK_API_KEY: bank.apiKey };
  const moveTime = async (byMs: number): Promise<void> => {
    await passTime({ clock, bank }, byMs);
  };
  return Object.assign(world, {
    clock,
    anchorFile,
    adminEnv: { ...env, ...bankEnv },
    admin: async (args: readonly string[], more: Readonly<Record<string, string>> = {}) =>
      kelpieAdmin(database, args, { ...env, ...bankEnv, ...more }),
    moveTime,
    pay: async (key: string, body = payoutBody({ amount_gbp: '40.00' })) =>
      createPayout({ url: world.api.url, key: world.partner.key }, body, key),
    async beat() {
      const before = await readHeartbeat(database);
      await moveTime(20_000);
      await world.restartWorker();
      await eventually('a heartbeat', async () => (await readHeartbeat(database)) > before);
    },
    async settle() {
      await bank.control('/webhooks', { mode: 'normal' });
      await bank.control('/webhooks/redeliver', { all: true });
      await moveTime(60_000);
      await untilQuiet(database);
    },
    paymentsOf: async (orderId: string) =>
      (await bank.record()).payments.filter((one) => one.client_reference_id === orderId).length,
  });
}

interface PayoutFacts {
  id: string;
  order: string;
  state: string;
  recovered: boolean;
  whats: string[];
}

/** By the key that its partner gave; payouts that were rebuilt have it once it was given again. */
export async function payoutsOfOrder({ superuserUrl }: TestDatabase, orderId: string): Promise<PayoutFacts[]> {
  return asAdmin(superuserUrl, async (admin) => {
    const { rows } = await admin.query<PayoutFacts>(
      `select p.id, p.order_id as order, p.state::text, p.recovered_at is not null as recovered,
         (select array_agg(h.what order by h.number) from kelpie.payout_history h where h.payout_id = p.id) as whats
       from kelpie.payouts p where p.order_id = $1 order by p.id`,
      [orderId],
    );
    return rows;
  });
}
