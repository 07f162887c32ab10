import type { Clock } from '../../platform/clock.ts';
import type { GivenSettings } from '../../platform/configuration/configuration.ts';
import { settings } from '../../platform/configuration/settings.ts';
import type { Pool } from '../../platform/database/pool.ts';
import { inReadOnlyTransaction, type Transaction } from '../../platform/database/transaction.ts';
import type { Logger } from '../../platform/logging.ts';
import { NotChecked, problem, warning, type Finding } from './finding.ts';

export interface DoctorOptions {
  /** pgBackRest's. Null: the file that it reads by itself. */
  configFile: string | null;
  stanza: string;
  maxBackupAgeHours: number;
  minFreeMegabytes: number;
}

export interface DoctorDeps {
  env: NodeJS.ProcessEnv;
  given: GivenSettings;
  clock: Clock;
  logger: Logger;
  /** As kelpie_reader; null where its address is not given. */
  reader: Pool | null;
  options: DoctorOptions;
}

export async function read<Found>(
  { reader }: Pick<DoctorDeps, 'reader'>,
  work: (tx: Transaction) => Promise<Found>,
): Promise<Found> {
  if (reader === null) throw new NotChecked(`${settings.readerDatabaseUrl.variable} is not set.`);
  return inReadOnlyTransaction(reader, 'shared', work);
}

/** What production must not have, and a development stack may. */
export function unsafe({ given }: Pick<DoctorDeps, 'given'>, message: string): Finding {
  return given.isDevelopment ? warning(`${message} (A problem in production.)`) : problem(message);
}
