import type { ElectedTransaction } from '../../platform/database/elected-reader.ts';
import type { Transaction } from '../../platform/database/transaction.ts';
import { firstIdAt } from '../../platform/ids.ts';
import { queryFigures, type Figure } from './figures.ts';

/**
 * What is counted is counted so far: when more waits than that, the number says so as well as any other, and reading it must not
 * make things worse.
 */
const mostCounted = 100_000;

const environments = '(select unnest(enum_range(null::kelpie.environment)) as environment) e';

/** The age of an instant, which may be null, by the clock of the process. */
const age = (instant: string): string =>
  `greatest(0, coalesce(extract(epoch from $1::timestamptz - ${instant}), 0))::text`;

/** Open payouts are those with a lease, so this reads few rows of a large table, each by its id. */
const openPayouts = `
  not_final as materialized (
    select p.environment, p.state::text as state, kelpie.instant_of(p.id) as created_at, p.wallet_debit_micro_usdc as debit
    from (select l.payout_id from kelpie.payout_leases l order by l.payout_id limit ${mostCounted}) l
    cross join lateral (
      select p.id, p.environment, p.state, p.wallet_debit_micro_usdc from kelpie.payouts p
      where p.id = l.payout_id and p.state in ('sending', 'pending', 'processing') offset 0
    ) p
  )`;

const payoutFigures = [
  `select f.gauge, f.value, jsonb_build_object('environment', c.environment, 'state', c.state) as labels
   from (
     select e.environment, s.state, count(o.state) as count, min(o.created_at) as oldest_at
     from ${environments} cross join unnest(array['sending', 'pending', 'processing']) as s (state)
     left join not_final o on o.environment = e.environment and o.state = s.state
     group by e.environment, s.state
   ) c
   cross join lateral (values
     ('kelpie_open_payouts', c.count::text), ('kelpie_oldest_open_payout_seconds', ${age('c.oldest_at')})
   ) f (gauge, value)`,
  `select 'kelpie_money_in_flight_usdc', (coalesce(sum(o.debit), 0) / 1000000)::text,
     jsonb_build_object('environment', e.environment)
   from ${environments} left join not_final o on o.environment = e.environment group by e.environment`,
];

const operatorFigures = [
  `select f.gauge, f.value, jsonb_build_object('environment', c.environment)
   from (
     select e.environment, count(c.id) as count, min(c.opened_at) as oldest_at
     from ${environments} left join kelpie.cases c on c.environment = e.environment and c.closed_at is null
     group by e.environment
   ) c
   cross join lateral (values
     ('kelpie_open_cases', c.count::text), ('kelpie_oldest_case_seconds', ${age('c.oldest_at')})
   ) f (gauge, value)`,
  `select 'kelpie_payment_blocks', count(b.id)::text, jsonb_build_object('cause', c.cause)
   from unnest(array[
     'suspended', 'rail_paused', 'partner_paused', 'debt', 'screening', 'verification', 'frozen', 'recovery'
   ]) as c (cause)
   left join kelpie.payment_blocks b on b.cause = c.cause group by c.cause`,
  `select 'kelpie_wallets_low', count(a.partner_id)::text, jsonb_build_object('environment', e.environment)
   from ${environments} left join kelpie.wallet_alerts a on a.environment = e.environment and a.low_since is not null
   group by e.environment`,
  `select 'kelpie_reconciled_timestamp_seconds', coalesce(extract(epoch from max(finished_at)), 0)::text, null
   from kelpie.reconciliations where state = 'clean' and of_partner is null and lines_from is null`,
  `select 'kelpie_ledger_verified_timestamp_seconds', coalesce(extract(epoch from max(ended_at)), 0)::text, null
   from kelpie.ledger_verifications where differences = 0`,
  `select 'kelpie_months_ahead', coalesce(
       (extract(year from m.missing) - extract(year from n.now)) * 12 + extract(month from m.missing) - extract(month from n.now) - 1, 24
     )::text, null
   from (select $1::timestamptz at time zone 'utc' as now) n,
     (select min(month_start) at time zone 'utc' as missing from kelpie.missing_month_partitions($1::timestamptz, 24)) m`,
];

/** By the clock of the database, which is the job engine's. */
const jobFigures = `
  select f.gauge, f.value::text, jsonb_build_object('queue', q.name)
  from pgboss.queue q
  cross join lateral (
    select count(*) as count, coalesce(extract(epoch from now() - min(w.created_on)), 0) as oldest_seconds from (
      select j.created_on from pgboss.job j
      where j.name = q.name and j.state < 'active' and not j.blocked limit ${mostCounted}
    ) w
  ) waiting
  cross join lateral (
    select count(*) as count from (
      select from pgboss.job j where j.name = q.name and j.state = 'failed' limit ${mostCounted}
    ) g
  ) failed
  cross join lateral (values
    ('kelpie_jobs_waiting', waiting.count::numeric), ('kelpie_oldest_job_seconds', waiting.oldest_seconds),
    ('kelpie_jobs_failed', failed.count)
  ) f (gauge, value)
  where not starts_with(q.name, '__')`;

const eventFigures = [
  `select 'kelpie_unnumbered_events', count(*)::text, null
   from (select from kelpie.unnumbered_events limit ${mostCounted}) u`,
  `select 'kelpie_oldest_unnumbered_event_seconds',
     ${age('(select u.at from kelpie.unnumbered_events u order by u.number limit 1)')}, null`,
  `select 'kelpie_pending_deliveries', count(*)::text, null
   from (select from kelpie.webhook_deliveries d where d.state = 'pending' limit ${mostCounted}) d`,
  `select 'kelpie_oldest_due_delivery_seconds', ${age('min(w.due_at)')}, null
   from kelpie.webhook_endpoints w where w.disabled_at is null and w.deleted_at is null and w.due_at <= $1::timestamptz`,
  `select 'kelpie_webhooks', count(w.id)::text, jsonb_build_object('state', s.state)
   from unnest(array['enabled', 'failing', 'disabled']) as s (state)
   left join kelpie.webhook_endpoints w on w.deleted_at is null and s.state =
     case when w.disabled_at is not null then 'disabled' when w.failing_since is not null then 'failing' else 'enabled' end
   group by s.state`,
];

const figuresSql = `with ${openPayouts} ${[...payoutFigures, ...operatorFigures, jobFigures, ...eventFigures].join(' union all ')}`;

/** As the reading role. */
export async function listFigures(tx: ElectedTransaction, now: Date): Promise<Figure[]> {
  // Most of what is kept is none of what is counted: a plan that reads a whole table is never the right one. Where there is no other, it
  // seems so costly that the server would compile it, for seconds.
  await tx.query(`set local statement_timeout = '5s'; set local enable_seqscan = off; set local jit = off`);
  return queryFigures(tx, figuresSql, [now]);
}

/** What a partner spends is counted for its daily limits, so only where there are any. In pounds, at the rate of its last payout. */
const runwaySql = `
  select 'kelpie_wallet_runway_seconds' as gauge,
    min(w.balance_micro_usdc::numeric * last.rate * 7 * 86400 / 1e10 / spent.pence)::text as value,
    jsonb_build_object('environment', spent.environment) as labels
  from (
    select s.partner_id, s.environment, sum(s.spent_pence) as pence from kelpie.daily_spending s
    where s.subject = '' and s.on_day between $1::date - 6 and $1::date
    group by s.partner_id, s.environment having sum(s.spent_pence) > 0
  ) spent
  join kelpie.wallets w on w.partner_id = spent.partner_id and w.environment = spent.environment
  cross join lateral (
    select p.gbp_per_usd_millionths as rate from kelpie.payouts p
    where p.partner_id = spent.partner_id and p.environment = spent.environment and p.id >= $2
    order by p.environment desc, p.id desc limit 1
  ) last
  group by spent.environment`;

const londonDay = new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/London' });
const eightDaysMs = 8 * 24 * 60 * 60_000;

/** One row per partner that spent something, and day: too much for every few seconds. */
export async function listRunways(tx: ElectedTransaction, now: Date): Promise<Figure[]> {
  const since = firstIdAt(new Date(now.getTime() - eightDaysMs));
  return queryFigures(tx, runwaySql, [londonDay.format(now), since]);
}

/** As the service: the reading role does not see which emails still have a text, and that is how those that wait are found. */
const mailSql = `
  select f.gauge, f.value, null as labels
  from (
    select count(*) as count, min(m.created_at) as oldest_at from (
      select m.created_at from kelpie.outgoing_mails m where m.content_encrypted is not null order by m.id limit ${mostCounted}
    ) m
  ) c
  cross join lateral (values
    ('kelpie_mails_waiting', c.count::text), ('kelpie_oldest_mail_seconds', ${age('c.oldest_at')})
  ) f (gauge, value)`;

export async function listMailFigures(tx: Transaction, now: Date): Promise<Figure[]> {
  return queryFigures(tx, mailSql, [now]);
}
