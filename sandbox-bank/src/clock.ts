import type { Pool, Transaction } from './database.ts';

/** The bank's own time: the machine's, moved by as much as somebody asked for. */
export interface BankClock {
  now(): Date;
  shiftMs(): number;
  move(tx: Transaction, byMs: number): Promise<void>;
}

/** The shift is kept in the database, so that a bank that was killed comes back into the same day. */
export async function openClock(pool: Pool): Promise<BankClock> {
  const { rows } = await pool.query<{ clock_shift_ms: bigint }>('select clock_shift_ms from bank_state');
  let shiftMs = Number(rows[0]?.clock_shift_ms ?? 0n);
  return {
    now: () => new Date(Date.now() + shiftMs),
    shiftMs: () => shiftMs,
    // The row stays locked until the commit: of two that move it at once, the later one has both moves.
    async move(tx, byMs) {
      const moved = await tx.query<{ clock_shift_ms: bigint }>(
        'update bank_state set clock_shift_ms = clock_shift_ms + $1 returning clock_shift_ms',
        [byMs],
      );
      shiftMs = Number(moved.rows[0]?.clock_shift_ms ?? 0n);
    },
  };
}
