import { openPool, type Pool } from '../../platform/database/pool.ts';
import type { Logger } from '../../platform/logging.ts';

/** For commands that look at every partner, and take the time that it takes. */
export async function withReader<Result>(
  readerUrl: string,
  logger: Logger,
  work: (pool: Pool) => Promise<Result>,
): Promise<Result> {
  const pool = openPool({ url: readerUrl, connections: 1, applicationName: 'kelpie-cli', logger, unhurried: true });
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}
