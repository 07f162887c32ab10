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
