import { setTimeout as wait } from 'node:timers/promises';
import { DatabaseError, type Client } from 'pg';

const pauseBetweenTriesMs = 1_000;
const briefTries = 40;
const longTries = 3;
const lockNotAvailable = '55P03';

/** A lock could not be had in time. Nothing was done. */
export function isLocked(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === lockNotAvailable;
}

/**
 * Does work that needs a table's lock. Every query behind it waits too, so it gives up after 300 ms, lets the traffic through
 * and tries again. The last tries wait for longer than a second: after that PostgreSQL ends an autovacuum that is in the way.
 */
export async function retryingLocks(client: Client, work: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const lockTimeout = attempt <= briefTries ? '300ms' : '3s';
    await client.query(`set lock_timeout = '${lockTimeout}'; set statement_timeout = '5min'`);
    try {
      return await work();
    } catch (error) {
      if (!isLocked(error) || attempt === briefTries + longTries) throw error;
    }
    await wait(pauseBetweenTriesMs);
  }
}
