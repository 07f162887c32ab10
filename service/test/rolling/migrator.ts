import { startChild, type Child } from '@kelpie/dev/child-process.ts';
import { eventually } from '@kelpie/dev/eventually.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { folderOf } from '../database/planted-migrations.ts';
import { readMigrations, ownFolder } from '../../src/platform/database/migrations.ts';
import type { TestDatabase } from '../harness/database.ts';

/** The next version's migration: an index on the table that every payout writes to. */
export const builtIndex = 'ledger_entries_by_reason';
const sql = `-- Outside a transaction
create index concurrently ${builtIndex} on kelpie.ledger_entries (reason, partner_id, transfer_id);
`;

export interface Migrator {
  /** A process of its own, as it would be in a deploy. */
  start(): Child;
  /** Whether the server still works for one. */
  isConnected(): Promise<boolean>;
  /** Kills it as a machine that fails would, and waits until the server has noticed. */
  kill(child: Child): Promise<void>;
}

interface MigratorOptions {
  database: Pick<TestDatabase, 'ownerUrl' | 'superuserUrl'>;
  atEnd: (end: () => Promise<unknown>) => void;
}

export function createMigrator({ database, atEnd }: MigratorOptions): Migrator {
  const next = String(readMigrations(ownFolder).length + 1).padStart(4, '0');
  const folder = folderOf(
    { [`migrations/${next}_index.sql`]: sql },
    { basedOnOwn: true, atEnd: (remove) => atEnd(async () => remove()) },
  );
  const isConnected = async (): Promise<boolean> =>
    asAdmin(database.superuserUrl, async (client) => {
      const { rowCount } = await client.query(
        `select from pg_stat_activity where application_name = 'kelpie-migrate' and datname = current_database()`,
      );
      return rowCount !== 0;
    });
  return {
    isConnected,
    start() {
      const file = 'service/test/programs/migrate-folder.ts';
      const child = startChild({ name: 'migrate', file, args: [database.ownerUrl, folder.href], env: {} });
      atEnd(async () => child.stop());
      return child;
    },
    async kill(child) {
      child.kill('SIGKILL');
      await child.exited;
      await eventually('the server has ended the build', async () => !(await isConnected()), 60_000);
    },
  };
}

interface BuiltIndex {
  name: string;
  is_valid: boolean;
}

/** The index of the table and those of its partitions, attached or not. */
export async function listBuiltIndexes({ superuserUrl }: Pick<TestDatabase, 'superuserUrl'>): Promise<BuiltIndex[]> {
  return asAdmin(superuserUrl, async (client) => {
    const { rows } = await client.query<BuiltIndex>(
      `select c.relname as name, i.indisvalid as is_valid from pg_index i join pg_class c on c.oid = i.indexrelid
       where c.relname ~ '^ledger_entries(_\\d+_\\d+)?_by_reason$' order by 1`,
    );
    return rows;
  });
}
