import type { BankClock } from '../clock.ts';
import { inTransaction, type Pool } from '../database.ts';
import type { Log } from '../log.ts';
import type { Loop } from '../loop.ts';
import { batchSize, startMovingDue } from '../move-due.ts';
import { changeDeposit } from './change-deposit.ts';
import type { Deposit } from './deposit.ts';

interface SettlingDeps {
  pool: Pool;
  clock: BankClock;
  log: Log;
  settleAfterMs: number;
}

/** Moves deposits on when they are due, as settlement.ts does with transfers. */
export function startSettlingDeposits(deps: SettlingDeps): Loop {
  return startMovingDue('deposits', deps, async () => moveBatch(deps));
}

async function moveBatch({ pool, clock, settleAfterMs }: SettlingDeps): Promise<number> {
  const at = clock.now();
  return inTransaction(pool, async (tx) => {
    // In the order of their wallets: two banks on one database, each with a batch, would wait for each other otherwise.
    const { rows } = await tx.query<Deposit>(
      `select * from (
         select * from deposits where next_at <= $1 order by next_at limit $2 for update skip locked
       ) as due order by wallet_id, seq`,
      [at, batchSize],
    );
    for (const deposit of rows) {
      const { next_state: to, next_at: dueAt } = deposit;
      if (to === null || dueAt === null) throw new Error('a deposit is due for nothing');
      const remainingMs = settleAfterMs - Math.floor(settleAfterMs / 3);
      const arrival = { state: 'payment_processed', at: new Date(dueAt.getTime() + remainingMs) } as const;
      await changeDeposit(tx, deposit, { to, at, ...(to === 'payment_submitted' ? { next: arrival } : {}) });
    }
    return rows.length;
  });
}
