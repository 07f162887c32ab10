import { optional, settings, type Setting } from '../../platform/configuration/settings.ts';
import { openPool, type Pool } from '../../platform/database/pool.ts';
import type { Logger } from '../../platform/logging.ts';

/** Reads as kelpie_reader. */
export async function withReader<Result>(
  readerUrl: string,
  logger: Logger,
  work: (pool: Pool) => Promise<Result>,
  pace: 'command' | 'unhurried' = 'command',
): Promise<Result> {
  const pool = openPool({ url: readerUrl, connections: 1, applicationName: 'kelpie-cli', logger, pace });
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}

/** Where the worker reads what belongs to no one partner. Null in development without an address. */
export function chooseReader(get: <Value>(setting: Setting<Value>) => Value): string | null {
  const isProduction = get(settings.mode) === 'production';
  return get<string | null>(isProduction ? settings.readerDatabaseUrl : optional(settings.readerDatabaseUrl));
}

/** For verification, one read after the other. */
const workerConnections = 1;

export function openWorkerReader(url: string | null, logger: Logger): Pool | null {
  if (url === null) return null;
  const applicationName = 'kelpie-worker-reads';
  return openPool({ url, connections: workerConnections, applicationName, logger, pace: 'unhurried' });
}
