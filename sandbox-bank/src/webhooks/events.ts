import type { Transaction } from '../database.ts';
import { newId } from '../ids.ts';

const apiVersion = 'v0';

/** Something that came to be, or changed, in the words of the wire. */
export interface ObjectEvent {
  category: 'transfer' | 'kyc_link' | 'virtual_account.activity' | 'liquidation_address.drain';
  objectId: string;
  /** What it happened to, whose events are told one after the other. */
  of: { transferId: string } | { kycLinkId: string } | { depositId: string };
  status: string;
  object: object;
  /** From what to what, for each field that changed; null where the object is new. */
  changes: Readonly<Record<string, readonly [from: string | null, to: string | null]>> | null;
}

function envelope(id: string, event: ObjectEvent, at: Date): object {
  const { category, objectId, status, object, changes } = event;
  return {
    api_version: apiVersion,
    event_id: id,
    event_category: category,
    event_type: changes === null ? `${category}.created` : `${category}.updated.status_transitioned`,
    event_object_id: objectId,
    event_object_status: status,
    event_object: object,
    event_object_changes: changes ?? {},
    event_created_at: at.toISOString(),
  };
}

/**
 * Notes what happened, and what is to be delivered to whom, in the transaction of the change itself: a bank that is killed
 * right after it still tells everybody. How the deliveries are spoilt is decided here, too: lost ones are not made,
 * repeated ones are made three times, shuffled ones wait for the next half second and have a random position.
 */
export async function recordEvents(tx: Transaction, happened: readonly ObjectEvent[], at: Date): Promise<void> {
  const events = happened.map((event) => {
    const id = newId(at);
    return { ...event, id, body: JSON.stringify(envelope(id, event, at)) };
  });
  await tx.query(
    `with event as (
       insert into events (id, transfer_id, kyc_link_id, deposit_id, body, created_at)
       select id, transfer_id, kyc_link_id, deposit_id, body, $6
       from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[]) with ordinality
         as change (id, transfer_id, kyc_link_id, deposit_id, body, nth)
       order by nth returning id, seq)
     insert into deliveries (event_id, endpoint_id, position, due_at)
     select event.id, endpoint.id,
       case webhook_mode when 'shuffle' then random() else 0 end,
       case webhook_mode when 'shuffle' then to_timestamp(ceil(extract(epoch from now()) * 2) / 2) else now() end
     from event, webhook_endpoints endpoint, bank_state,
       generate_series(1, case webhook_mode when 'lose' then 0 when 'repeat' then 3 else 1 end)
     where endpoint.status = 'active'
     order by event.seq`,
    [
      events.map(({ id }) => id),
      events.map(({ of }) => ('transferId' in of ? of.transferId : null)),
      events.map(({ of }) => ('kycLinkId' in of ? of.kycLinkId : null)),
      events.map(({ of }) => ('depositId' in of ? of.depositId : null)),
      events.map(({ body }) => body),
      at,
    ],
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
