import { startChild } from '../child-process.ts';
import { textAt } from '../json.ts';
import { ClusterError } from './cluster.ts';
import { createDatabase, dropDatabase, ensureRoles, operatorLogins, urlFor } from './roles.ts';

/** A bank's memory is no part of ours, nor of the other bank's: a database of its own, whose tables it makes itself. */
export const bankDatabases = { sandbox: 'sandbox_bank', live: 'live_bank' } as const;

export interface DatabaseUrls {
  ownerUrl: string;
  serviceUrl: string;
  readerUrl: string;
  operatorUrl: string;
  /** Another person's, who approves what the first one proposes. */
  secondOperatorUrl: string;
}

export function urlsOf(adminUrl: string, database: string): DatabaseUrls {
  return {
    ownerUrl: urlFor(adminUrl, database, 'kelpie_owner'),
    serviceUrl: urlFor(adminUrl, database, 'kelpie_service'),
    readerUrl: urlFor(adminUrl, database, 'kelpie_reader'),
    operatorUrl: urlFor(adminUrl, database, operatorLogins[0]),
    secondOperatorUrl: urlFor(adminUrl, database, operatorLogins[1]),
  };
}

/** Roles, database and tables, by the same command that production uses. */
export async function prepareDatabase(
  adminUrl: string,
  { database = 'kelpie', anew = false }: { database?: string; anew?: boolean } = {},
): Promise<DatabaseUrls> {
  await ensureRoles(adminUrl);
  if (anew) await dropDatabase(adminUrl, database);
  await createDatabase(adminUrl, database);
  const urls = urlsOf(adminUrl, database);
  const migrate = startChild({
    name: 'kelpie-admin migrate',
    file: 'service/src/app/cli.ts',
    args: ['migrate'],
    env: { KELPIE_MODE: 'development', KELPIE_OWNER_DATABASE_URL: urls.ownerUrl, KELPIE_LOG_LEVEL: 'warn' },
  });
  const { code } = await migrate.exited;
  if (code !== 0) throw new ClusterError(`kelpie-admin migrate failed:\n${migrate.output()}`);
  return urls;
}

/** The first row of the operators' log, as on any new installation; one that is there stays. */
export async function beginAudit(
  { readerUrl, operatorUrl }: Pick<DatabaseUrls, 'readerUrl' | 'operatorUrl'>,
  auditKey: string,
): Promise<void> {
  const begin = startChild({
    name: 'kelpie-admin audit begin',
    file: 'service/src/app/cli.ts',
    args: ['audit', 'begin', '--reason', 'a new database', '--json'],
    env: {
      KELPIE_MODE: 'development',
      KELPIE_LOG_LEVEL: 'warn',
      KELPIE_READER_DATABASE_URL: readerUrl,
      KELPIE_OPERATOR_DATABASE_URL: operatorUrl,
      KELPIE_AUDIT_KEY: auditKey,
    },
  });
  const { code } = await begin.exited;
  if (code === 0) return;
  const isThere = code === 2 && textAt(JSON.parse(begin.output()), 'error.code') === 'nothing_to_do';
  if (!isThere) throw new ClusterError(`kelpie-admin audit begin failed:\n${begin.output()}`);
}
