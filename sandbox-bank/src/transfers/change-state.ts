import type { Transaction } from '../database.ts';
import { moveMoney } from '../wallet-money.ts';
import { recordEvents } from '../webhooks/events.ts';
import { transferEvent } from './transfer-event.ts';
import type { State, Transfer } from './transfer.ts';

interface Change {
  to: State;
  at: Date;
  /** What the bank does with it by itself later; without it the transfer stays as it is. */
  next?: { state: State; at: Date };
  reason?: string | null;
}

/** Everyone who listens is told of it. */
export async function changeState(tx: Transaction, transfer: Transfer, change: Change): Promise<Transfer> {
  const [changed] = await changeStates(tx, [{ transfer, ...change }], change.at);
  if (changed === undefined) throw new Error('a locked transfer is gone');
  return changed;
}

/** The one way by which transfers get another state, each in its turn. */
export async function changeStates(
  tx: Transaction,
  changes: readonly (Omit<Change, 'at'> & { transfer: Transfer })[],
  at: Date,
): Promise<Transfer[]> {
  const { rows } = await tx.query<Transfer>(
    `update transfers set state = change.state, updated_at = $1, next_state = change.next_state, next_at = change.next_at,
       reason = coalesce(change.reason, transfers.reason)
     from unnest($2::uuid[], $3::text[], $4::text[], $5::timestamptz[], $6::text[])
       as change (id, state, next_state, next_at, reason)
     where transfers.id = change.id returning transfers.*`,
    [
      at,
      changes.map(({ transfer }) => transfer.id),
      changes.map(({ to }) => to),
      changes.map(({ next }) => next?.state ?? null),
      changes.map(({ next }) => next?.at ?? null),
      changes.map(({ reason }) => reason ?? null),
    ],
  );
  const changed = new Map(rows.map((row) => [row.id, row]));
  const inTurn = changes.map(({ transfer: before }) => {
    const transfer = changed.get(before.id);
    if (transfer === undefined) throw new Error('a locked transfer is gone');
    return { transfer, from: before.state };
  });
  await payIntoWallets(
    tx,
    inTurn.map(({ transfer }) => transfer),
    at,
  );
  const events = inTurn.map(({ transfer, from }) => transferEvent(transfer, from));
  await recordEvents(tx, events, at);
  return inTurn.map(({ transfer }) => transfer);
}

/** What goes to another wallet is there once it is processed. */
async function payIntoWallets(tx: Transaction, changed: readonly Transfer[], at: Date): Promise<void> {
  for (const { id: transferId, state, to_wallet_id: walletId, taken_micro_usdc: microUsdc } of changed)
    if (walletId !== null && state === 'payment_processed')
      await moveMoney(tx, { walletId, microUsdc, kind: 'wallet_transfer', transferId, at });
}
