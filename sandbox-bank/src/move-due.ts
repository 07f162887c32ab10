import type { BankClock } from './clock.ts';
import type { Pool } from './database.ts';
import type { Log } from './log.ts';
import { startLoop, type Loop } from './loop.ts';

const pollMs = 100;
export const batchSize = 50;
const batchesATurn = 20;

interface DueDeps {
  pool: Pool;
  clock: BankClock;
  log: Log;
}

/** Moves what is due, batch by batch. It asks first: most turns find nothing, and a transaction is three statements. */
export function startMovingDue(
  table: 'transfers' | 'deposits',
  { pool, clock, log }: DueDeps,
  moveBatch: () => Promise<number>,
): Loop {
  const anyDue = { name: `any_due_${table}`, text: `select from ${table} where next_at <= $1 limit 1` };
  return startLoop(`settle-${table}`, pollMs, log, async () => {
    const { rowCount } = await pool.query({ ...anyDue, values: [clock.now()] });
    if (rowCount === 0) return;
    for (let batch = 0; batch < batchesATurn; batch += 1) {
      if ((await moveBatch()) < batchSize) return;
    }
  });
}
