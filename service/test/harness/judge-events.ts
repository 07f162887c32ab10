import type { Client } from 'pg';

/** Each fact that is an event, by its subject and version. Tests plant keys and invoices as rows: these need no event. */
const factsSql = `
  select h.payout_id as subject_id, h.number as version, h.partner_id, h.environment, 'payout.' || h.state as type, true as is_required
  from kelpie.payout_history h
  left join kelpie.payout_history b on b.payout_id = h.payout_id and b.number = h.number - 1
  where h.state is distinct from b.state and h.state not in ('sending', 'not_created')
  union all
  select h.deposit_id, h.number, h.partner_id, h.environment, 'deposit.' || h.what, true
  from kelpie.deposit_history h where h.what in ('credited', 'reversed')
  union all
  select a.partner_id, version, a.partner_id, a.environment, 'wallet.low', true
  from kelpie.wallet_alerts a cross join generate_series(1, a.times_notified) version
  union all
  select i.id, f.version, i.partner_id, 'live', f.type, f.is_required
  from kelpie.invoices i cross join lateral (
    values (1, 'invoice.issued', false, true), (2, 'invoice.overdue', true, i.overdue_at is not null),
      (3, 'invoice.paid', true, i.status = 'paid')
  ) f (version, type, is_required, is_so)
  where f.is_so
  union all
  select r.id, f.version, r.partner_id, r.environment, 'payout_request.' || f.what, true
  from kelpie.payout_requests r cross join lateral (
    values (1, 'created', true), (2, 'approved', r.state = 'approved'), (2, 'declined', r.state = 'declined')
  ) f (version, what, is_so)
  where f.is_so
  union all
  select k.id, 1, k.partner_id, k.environment, 'key.created', false from kelpie.api_keys k
  union all
  select k.id, 2, k.partner_id, k.environment, 'key.revoked', false from kelpie.api_keys k where k.revoked_at is not null`;

const violationsSql = `
  with facts as materialized (${factsSql}), events as materialized (
    select subject_id, version, partner_id, environment, type::text, sequence, null::bigint as number, snapshot from kelpie.events
    union all
    select subject_id, version, partner_id, environment, type::text, null, number, snapshot from kelpie.unnumbered_events
  ), followed as (
    select e.*, lead(type) over w as next_type, lead(version) over w as next_version
    from events e
    window w as (partition by subject_id, environment, split_part(type, '.', 1) order by sequence nulls last, number)
  )
  select format('I12 %s of %s at %s has %s events', f.type, f.subject_id, f.version, count(e.type)) as what
  from facts f left join events e on e.subject_id = f.subject_id and e.version = f.version and e.type = f.type
    and e.partner_id = f.partner_id and e.environment = f.environment
  group by f.subject_id, f.type, f.version, f.is_required
  having count(e.type) > 1 or (f.is_required and count(e.type) = 0)
  union all
  select format('I12 an event of %s, which never was %s at %s', e.subject_id, e.type, e.version)
  from events e where e.type !~ '^(member|account)[.]' and not exists (
    select from facts f where f.subject_id = e.subject_id and f.version = e.version and f.type = e.type
  )
  union all
  select format('I12 %s of %s follows itself', type, subject_id) from followed
  where type ~ '^(member|account)[.]' and next_type = type
  union all
  select format('I12 the last event of partner %s in %s is %s', partner_id, environment, type) from followed f
  where type like 'account.%' and next_type is null and (type = 'account.paused') <> exists (
    select from kelpie.payment_blocks b
    where b.partner_id = f.partner_id and (b.environment is null or b.environment = f.environment)
  )
  union all
  select format('I12 %s of %s has %s snapshot', type, subject_id, case when snapshot is null then 'no' else 'a' end)
  from events where (snapshot is null) <> (type like 'payout.%')
  union all
  select format('I12 %s events of %s %s, numbered up to %s', count(*), partner_id, environment, max(sequence))
  from kelpie.events e join kelpie.event_counters c using (partner_id, environment)
  group by partner_id, environment, c.last_sequence
  having count(*) <> max(sequence) or count(distinct sequence) <> count(*) or c.last_sequence <> max(sequence)
  union all
  select format('I12 version %s of %s is numbered before an older one', version, subject_id)
  from followed where next_version < version`;

/** I12: every change that partners read of is one event or will be, in order; and the numbers of events have no gap. */
export async function judgeEvents(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ what: string }>(violationsSql);
  return rows.map(({ what }) => what);
}
