import type { Transaction } from '../database.ts';
import { recordEvent } from '../webhooks/events.ts';
import type { State, Transfer } from './transfer.ts';

interface Change {
  to: State;
  at: Date;
  /** What the bank does with it by itself later; without it the transfer stays as it is. */
  next?: { state: State; at: Date };
  reason?: string | null;
}

/** The one way by which a transfer gets another state: everyone who listens is told of it. */
export async function changeState(tx: Transaction, transfer: Transfer, change: Change): Promise<Transfer> {
  const { rows } = await tx.query<Transfer>(
    `update transfers set state = $2, updated_at = $3, next_state = $4, next_at = $5, reason = coalesce($6, reason)
     where id = $1 returning *`,
    [transfer.id, change.to, change.at, change.next?.state ?? null, change.next?.at ?? null, change.reason ?? null],
  );
  const [changed] = rows;
  if (changed === undefined) throw new Error('a locked transfer is gone');
  await recordEvent(tx, changed, transfer.state, change.at);
  return changed;
}
