import { randomUUID } from 'node:crypto';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { kelpieAdmin, type CommandResult } from '../app/commands/kelpie-admin.ts';
import type { TestDatabase } from '../harness/database.ts';
import type { TestPartner } from '../harness/partners.ts';
import type { RecoveryWorld } from '../recovery/restoring.ts';

/** Where runbooks are rehearsed: a whole Kelpie in live, with its bank. */
export interface RunbookStage extends RecoveryWorld {
  query(sql: string, values?: readonly unknown[]): Promise<Record<string, string>[]>;
}

/** What a page needs before its commands can be run. */
export interface Situation {
  /** The examples of the page, and what stands for them here. */
  words?: Readonly<Record<string, string>>;
  /** What `ID` is, for each command that has one. An approval's is the newest proposal. */
  ids?: Readonly<Record<string, string>>;
  /** Commands that end with something other than 0, because they report a finding. */
  ends?: Readonly<Record<string, readonly number[]>>;
  env?: Readonly<Record<string, string>>;
  /** A database of its own, for what would spoil the others. */
  database?: TestDatabase;
  /** What `PAYMENT` is. */
  payments?: Readonly<Record<string, string>>;
  /** What has to happen before a command. */
  before?: Readonly<Record<string, () => Promise<unknown>>>;
  /** What the page leaves that would stop the next one. */
  after?: () => Promise<unknown>;
  /** Arguments that only a rehearsal needs. */
  added?: Readonly<Record<string, readonly string[]>>;
}

/** As a superuser. */
export async function queryIn(
  { superuserUrl }: Pick<TestDatabase, 'superuserUrl'>,
  sql: string,
  values: readonly unknown[] = [],
): Promise<Record<string, string>[]> {
  return asAdmin(superuserUrl, async (admin) => {
    const { rows } = await admin.query<Record<string, string>>(sql, [...values]);
    return rows;
  });
}

export function stageOf(world: RecoveryWorld): RunbookStage {
  return Object.assign(world, {
    query: async (sql: string, values?: readonly unknown[]) => queryIn(world.database, sql, values),
  });
}

export async function runAs(
  stage: RunbookStage,
  args: readonly string[],
  { database = stage.database, env = {} }: Pick<Situation, 'database' | 'env'>,
): Promise<CommandResult> {
  return kelpieAdmin(database, args, { ...stage.adminEnv, ...env });
}

export function slugOf({ partnerId }: Pick<TestPartner, 'partnerId'>): string {
  return `p-${partnerId.slice(-12)}`;
}

/** A job that was given up. */
export async function plantFailedJob(stage: RunbookStage, queue: string): Promise<string> {
  const id = randomUUID();
  await stage.query(
    `insert into pgboss.job (id, name, state, data, retry_count, retry_limit, started_on, completed_on, output)
     values ($1, $2, 'failed', '{}', 3, 3, now(), now(), '{"message": "planted"}')`,
    [id, queue],
  );
  return id;
}
