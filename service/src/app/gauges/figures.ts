import type { Transaction } from '../../platform/database/transaction.ts';

/** One value of a gauge, with what tells it from the others of the same gauge. */
export interface Figure {
  gauge: GaugeName;
  value: number;
  labels: Readonly<Record<string, string>>;
}

/** What each says, and the fault that moves it (docs/operators.md). */
export const gauges = {
  kelpie_open_payouts: 'Payouts that are not final, by state',
  kelpie_oldest_open_payout_seconds: 'Age of the oldest payout that is not final',
  kelpie_open_cases: 'Cases that no operator has closed, by environment',
  kelpie_payment_blocks: 'Payment blocks in force, by cause',
  kelpie_reconciled_timestamp_seconds: 'When a full reconciliation last ended clean; 0 if never',
  kelpie_ledger_verified_timestamp_seconds: 'When the nightly verification last found no difference; 0 if never',
  kelpie_schedule_success_timestamp_seconds: 'When a scheduled job last succeeded; 0 if not in the last week',
  kelpie_months_ahead: 'Months after this one for which every table has a partition',
  kelpie_worker_heartbeat_timestamp_seconds: 'When a worker last raised the heartbeat; 0 if never',
} as const;

export type GaugeName = keyof typeof gauges;

interface FigureRow {
  gauge: GaugeName;
  value: string;
  labels: Record<string, string> | null;
}

/** The reader of the metrics waits for it. */
const mostSeconds = 5;

/** Open payouts are those with a lease, so this reads few rows of a large table, each by its id. */
const figuresSql = `
  with open as (
    select p.environment, p.state, kelpie.instant_of(p.id) as created_at
    from kelpie.payout_leases l
    cross join lateral (
      select p.id, p.environment, p.state from kelpie.payouts p
      where p.id = l.payout_id and p.state in ('sending', 'pending', 'processing') offset 0
    ) p
  ),
  environments as (select unnest(enum_range(null::kelpie.environment)) as environment),
  states as (select unnest(array['sending', 'pending', 'processing']) as state)
  select 'kelpie_open_payouts' as gauge, count(o.state)::text as value,
    jsonb_build_object('environment', e.environment, 'state', s.state) as labels
  from environments e cross join states s left join open o on o.environment = e.environment and o.state::text = s.state
  group by e.environment, s.state
  union all
  select 'kelpie_oldest_open_payout_seconds',
    greatest(0, coalesce(extract(epoch from $1::timestamptz - min(o.created_at)), 0))::text,
    jsonb_build_object('environment', e.environment)
  from environments e left join open o using (environment) group by e.environment
  union all
  select 'kelpie_open_cases', count(c.id)::text, jsonb_build_object('environment', e.environment)
  from environments e left join kelpie.cases c on c.environment = e.environment and c.closed_at is null group by e.environment
  union all
  select 'kelpie_payment_blocks', count(*)::text, jsonb_build_object('cause', cause) from kelpie.payment_blocks group by cause
  union all
  select 'kelpie_reconciled_timestamp_seconds', coalesce(extract(epoch from max(finished_at)), 0)::text, null
  from kelpie.reconciliations where state = 'clean' and of_partner is null and lines_from is null
  union all
  select 'kelpie_ledger_verified_timestamp_seconds', coalesce(extract(epoch from max(ended_at)), 0)::text, null
  from kelpie.ledger_verifications where differences = 0
  union all
  select 'kelpie_schedule_success_timestamp_seconds', coalesce(extract(epoch from max(j.completed_on)), 0)::text,
    jsonb_build_object('queue', s.name)
  from pgboss.schedule s left join pgboss.job j on j.name = s.name and j.state = 'completed' group by s.name
  union all
  select 'kelpie_months_ahead',
    (select count(distinct m) - 1 from generate_series(0, 24) m
     where not exists (
       select from kelpie.missing_month_partitions($1::timestamptz, 24) missing
       where missing.month_start <= (date_trunc('month', $1::timestamptz at time zone 'utc') + make_interval(months => m)) at time zone 'utc'
     ))::text, null`;

/** As the reading role. */
export async function listFigures(tx: Transaction, now: Date): Promise<Figure[]> {
  await tx.query(`set local statement_timeout = '${mostSeconds}s'`);
  const { rows } = await tx.query<FigureRow>(figuresSql, [now]);
  return rows.map(({ gauge, value, labels }) => ({ gauge, value: Number(value), labels: labels ?? {} }));
}

/** The same for an api process too, since a worker that died reports nothing. */
export async function listHeartbeat(tx: Transaction): Promise<Figure[]> {
  const { rows } = await tx.query<{ value: string }>(
    'select coalesce(extract(epoch from max(at)), 0)::text as value from kelpie.heartbeat',
  );
  return rows.map(({ value }) => ({
    gauge: 'kelpie_worker_heartbeat_timestamp_seconds',
    value: Number(value),
    labels: {},
  }));
}
