import type { ObjectEvent } from '../webhooks/events.ts';
import { describeTransfer, type State, type Transfer } from './transfer.ts';

/** What is told of a transfer as it is now; `from` is null where it is new. */
export function transferEvent(transfer: Transfer, from: State | null): ObjectEvent {
  return {
    category: 'transfer',
    objectId: transfer.id,
    of: { transferId: transfer.id },
    status: transfer.state,
    object: describeTransfer(transfer),
    changes: from === null ? null : { state: [from, transfer.state] },
  };
}
