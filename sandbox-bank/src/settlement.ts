import type { BankClock } from './clock.ts';
import { inTransaction, type Pool } from './database.ts';
import type { Log } from './log.ts';
import type { Loop } from './loop.ts';
import { batchSize, startMovingDue } from './move-due.ts';
import { changeStates } from './transfers/change-state.ts';
import type { State, Transfer } from './transfers/transfer.ts';

interface SettlementDeps {
  pool: Pool;
  clock: BankClock;
  log: Log;
  settleAfterMs: number;
}

/** Moves transfers on when they are due. When that is stands in the database, so a restart changes nothing. */
export function startSettlement(deps: SettlementDeps): Loop {
  return startMovingDue('transfers', deps, async () => moveBatch(deps));
}

async function moveBatch({ pool, clock, settleAfterMs }: SettlementDeps): Promise<number> {
  const at = clock.now();
  return inTransaction(pool, async (tx) => {
    const { rows } = await tx.query<Transfer>(
      `select * from transfers where next_at <= $1 order by next_at limit $2 for update skip locked`,
      [at, batchSize],
    );
    const changes = rows.map((transfer) => {
      if (transfer.next_state === null || transfer.next_at === null) throw new Error('a transfer is due for nothing');
      const next = arrivalAfter(transfer.next_state, transfer.next_at, settleAfterMs);
      return { transfer, to: transfer.next_state, ...next };
    });
    if (changes.length > 0) await changeStates(tx, changes, at);
    return rows.length;
  });
}

/** Counted from when it was due, not from when it was done: a bank that was down for a while is not late ever after. */
function arrivalAfter(state: State, dueAt: Date, settleAfterMs: number): { next?: { state: State; at: Date } } {
  if (state !== 'payment_submitted') return {};
  const remainingMs = settleAfterMs - Math.floor(settleAfterMs / 3);
  return { next: { state: 'payment_processed', at: new Date(dueAt.getTime() + remainingMs) } };
}
