import { valueAt } from '@kelpie/dev/json.ts';
import { runCommand } from '../../harness/command.ts';
import type { TestDatabase } from '../../harness/database.ts';
import { testSecrets } from '../../harness/secrets.ts';

export interface CommandResult {
  code: number | null;
  said: string;
  /** What it printed, as JSON: all of its standard output is one document. */
  json(): unknown;
  /** What it found or did, where it worked. */
  data(): unknown;
}

/** The settings of somebody who may do everything. */
export function kelpieEnv(database: TestDatabase): Record<string, string> {
  return {
    KELPIE_MODE: 'development',
    KELPIE_LOG_LEVEL: 'warn',
    KELPIE_PUBLIC_URL: 'http://api.kelpie.test',
    KELPIE_DATABASE_URL: database.serviceUrl,
    KELPIE_READER_DATABASE_URL: database.readerUrl,
    KELPIE_OPERATOR_DATABASE_URL: database.operatorUrl,
    ...testSecrets,
  };
}

/** Settings that make the command another person's: grace@kelpie.example. */
export function asSecondPerson({ secondOperatorUrl }: TestDatabase): Record<string, string> {
  return { KELPIE_OPERATOR_DATABASE_URL: secondOperatorUrl };
}

/** The operator's command, as ada@kelpie.example would run it; with settings of its own. */
export async function kelpieAdmin(
  database: TestDatabase,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<CommandResult> {
  const { code, output: said, printed } = await runCommand({ args, env: { ...kelpieEnv(database), ...env } });
  const json = (): unknown => JSON.parse(printed);
  return { code, said, json, data: () => valueAt(json(), 'data') };
}
