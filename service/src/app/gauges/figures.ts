import type { Transaction } from '../../platform/database/transaction.ts';

/** What each says, and what moves it (docs/operators.md). Shared by all processes, and published by one worker. */
export const sharedGauges = {
  kelpie_open_payouts: 'Payouts that are not final, by state',
  kelpie_oldest_open_payout_seconds: 'Age of the oldest payout that is not final, by state',
  kelpie_money_in_flight_usdc: 'What was debited from wallets for payouts that are not final',
  kelpie_open_cases: 'Cases that no operator has closed, by environment',
  kelpie_oldest_case_seconds: 'Age of the oldest case that no operator has closed',
  kelpie_payment_blocks: 'Payment blocks in force, by cause',
  kelpie_wallet_runway_seconds:
    'How long the balance of the partner that runs out first lasts at its spending of the last week',
  kelpie_wallets_low: 'Wallets below the threshold of their partner',
  kelpie_jobs_waiting: 'Jobs that wait for a worker or their next attempt, by queue',
  kelpie_oldest_job_seconds: 'Age of the oldest job that waits, by queue',
  kelpie_jobs_failed: 'Jobs that were given up in the last week, by queue',
  kelpie_schedule_success_timestamp_seconds: 'When a scheduled job last succeeded; 0 if not in the last week',
  kelpie_schedule_late_seconds: 'Since when a scheduled job should have succeeded again; 0 while it is on time',
  kelpie_reconciled_timestamp_seconds: 'When a full reconciliation last ended clean; 0 if never',
  kelpie_ledger_verified_timestamp_seconds: 'When the nightly verification last found no difference; 0 if never',
  kelpie_months_ahead: 'Months after this one for which every table has a partition',
  kelpie_mails_waiting: 'Emails that are not sent, refused or given up yet',
  kelpie_oldest_mail_seconds: 'Age of the oldest email that waits',
  kelpie_unnumbered_events: 'Events that no worker has numbered yet',
  kelpie_oldest_unnumbered_event_seconds: 'Age of the oldest event that no worker has numbered yet',
  kelpie_pending_deliveries: 'Events that partners have yet to accept, by endpoint',
  kelpie_oldest_due_delivery_seconds: 'How long the endpoint that is due longest has waited for a worker',
  kelpie_webhooks: 'Endpoints of partners, by state',
  kelpie_figures_timestamp_seconds: 'When these figures were read',
} as const;

/** Read by every process itself, since a worker that died reports nothing. */
export const heartbeatGauge = {
  kelpie_worker_heartbeat_timestamp_seconds: 'When a worker last raised the heartbeat; 0 if never',
} as const;

type GaugeName = keyof typeof sharedGauges | keyof typeof heartbeatGauge;

/** One value of a gauge, with what tells it from the others of the same gauge. */
export interface Figure {
  gauge: GaugeName;
  value: number;
  labels: Readonly<Record<string, string>>;
}

interface FigureRow {
  gauge: GaugeName;
  value: string;
  labels: Record<string, string> | null;
}

/** Of a query whose rows are figures. */
export async function queryFigures(
  tx: Pick<Transaction, 'query'>,
  sql: string,
  values: readonly unknown[],
): Promise<Figure[]> {
  const { rows } = await tx.query<FigureRow>(sql, values);
  return rows.map(({ gauge, value, labels }) => ({ gauge, value: Number(value), labels: labels ?? {} }));
}

export async function listHeartbeat(tx: Transaction): Promise<Figure[]> {
  return queryFigures(
    tx,
    `select 'kelpie_worker_heartbeat_timestamp_seconds' as gauge, coalesce(extract(epoch from max(at)), 0)::text as value,
       null as labels
     from kelpie.heartbeat`,
    [],
  );
}
