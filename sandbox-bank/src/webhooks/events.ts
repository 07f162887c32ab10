import type { Transaction } from '../database.ts';
import { newId } from '../ids.ts';
import { describeTransfer, type State, type Transfer } from '../transfers/transfer.ts';

const apiVersion = 'v0';

function envelope(id: string, transfer: Transfer, from: State | null, at: Date): object {
  return {
    api_version: apiVersion,
    event_id: id,
    event_category: 'transfer',
    event_type: from === null ? 'transfer.created' : 'transfer.updated.status_transitioned',
    event_object_id: transfer.id,
    event_object_status: transfer.state,
    event_object: describeTransfer(transfer),
    event_object_changes: from === null ? {} : { state: [from, transfer.state] },
    event_created_at: at.toISOString(),
  };
}

/** A transfer as it is now, and what it was before; null where it was not. */
export interface Change {
  transfer: Transfer;
  from: State | null;
}

/**
 * Notes that transfers changed, and what is to be delivered to whom, in the transaction of the change itself: a bank
 * that is killed right after it still tells everybody. How the deliveries are spoilt is decided here, too: lost ones are
 * not made, repeated ones are made three times, shuffled ones wait for the next half second and have a random position.
 */
export async function recordEvents(tx: Transaction, changes: readonly Change[], at: Date): Promise<void> {
  const events = changes.map(({ transfer, from }) => {
    const id = newId(at);
    return { id, transferId: transfer.id, body: JSON.stringify(envelope(id, transfer, from, at)) };
  });
  await tx.query(
    `with event as (
       insert into events (id, transfer_id, body, created_at)
       select id, transfer_id, body, $4 from unnest($1::uuid[], $2::uuid[], $3::text[]) with ordinality
         as change (id, transfer_id, body, nth)
       order by nth returning id, seq)
     insert into deliveries (event_id, endpoint_id, position, due_at)
     select event.id, endpoint.id,
       case webhook_mode when 'shuffle' then random() else 0 end,
       case webhook_mode when 'shuffle' then to_timestamp(ceil(extract(epoch from now()) * 2) / 2) else now() end
     from event, webhook_endpoints endpoint, bank_state,
       generate_series(1, case webhook_mode when 'lose' then 0 when 'repeat' then 3 else 1 end)
     where endpoint.status = 'active'
     order by event.seq`,
    [events.map(({ id }) => id), events.map(({ transferId }) => transferId), events.map(({ body }) => body), at],
  );
}

/** Delivers once more what was delivered, given up or lost; says how many deliveries that makes. */
export async function redeliver(tx: Transaction, eventId: string | null): Promise<number> {
  const { rows } = await tx.query(
    `insert into deliveries (event_id, endpoint_id, position, due_at)
     select event.id, endpoint.id, 0, now() from events event, webhook_endpoints endpoint
     where endpoint.status = 'active' and ($1::uuid is null or event.id = $1)
     order by event.seq returning seq`,
    [eventId],
  );
  return rows.length;
}
