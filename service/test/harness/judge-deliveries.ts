import type { Client } from 'pg';

const violationsSql = `
  with deliveries as (
    select d.*, lag(d.sequence) over w as sequence_before, lag(d.created_at) over w as before_created_at
    from kelpie.webhook_deliveries d
    window w as (partition by d.endpoint_id order by d.sequence)
  )
  select format('I13 endpoint %s has %s due of the pending deliveries about %s', d.endpoint_id,
    count(*) filter (where d.due_at is not null or d.leased_until is not null), d.subject_id) as what
  from kelpie.webhook_deliveries d where d.state = 'pending'
  group by d.endpoint_id, d.subject_id
  having count(*) filter (where d.due_at is not null or d.leased_until is not null) <> 1
  union all
  select format('I13 delivery %s at %s names %s as the one before it', d.sequence, d.endpoint_id, d.previous_sequence)
  -- One that was added later, on request, is named by none.
  from deliveries d where d.before_created_at <= d.created_at and d.previous_sequence is distinct from d.sequence_before
  union all
  select format('I13 event %s is not delivered to %s', e.sequence, w.id)
  from kelpie.webhook_endpoints w
  join kelpie.events e on e.partner_id = w.partner_id and e.environment = w.environment
  where w.disabled_at is null and w.deleted_at is null
    and e.sequence <= w.last_sequence and e.sequence >= (
      select min(f.sequence) from kelpie.webhook_deliveries f where f.endpoint_id = w.id
    )
    and (w.types is null or e.type::text = any (w.types))
    and not exists (select from kelpie.webhook_deliveries d where d.event_id = e.id and d.endpoint_id = w.id)`;

/**
 * I13: what deliveries break. An endpoint that was disabled for a while, or asked for other types before, has gaps by right: such
 * tests do not judge it.
 */
export async function judgeDeliveries(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ what: string }>(violationsSql);
  return rows.map(({ what }) => what);
}
