import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';

const pauseMs = 250;

/** Whether a write on this server was committed and confirmed. A commit that waits for a standby is not. */
async function writesOn(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 1_000, query_timeout: 2_000 });
  let isWarned = false;
  client.on('error', () => undefined);
  client.on('notice', () => (isWarned = true));
  try {
    await client.connect();
    await client.query('update kelpie.heartbeat set number = number');
    return !isWarned;
  } catch {
    return false;
  } finally {
    // One that waits for its standby would wait for ever.
    await Promise.race([client.end().catch(() => undefined), wait(500)]);
  }
}

/** How many writes a server that should take none confirms within a time. */
export async function countWritesOn(url: string, forMs: number): Promise<number> {
  const until = performance.now() + forMs;
  let written = 0;
  while (performance.now() < until) {
    if (await writesOn(url)) written += 1;
    await wait(pauseMs);
  }
  return written;
}
