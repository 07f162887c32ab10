// What rules and dashboards may ask for, with the values that labels have. Those of Kelpie are the table of docs/operators.md,
// which a test compares with a real scrape.

type Kind = 'gauge' | 'counter' | 'histogram';

export interface PublishedMetric {
  name: string;
  kind: Kind;
  /** Of the scrape that has it. */
  jobs: readonly Job[];
  labels: Readonly<Record<string, readonly string[]>>;
}

type Job = 'kelpie-api' | 'kelpie-worker' | 'patroni' | 'haproxy' | 'prometheus' | 'alertmanager';

const environment = ['live', 'sandbox'];
const processes: readonly Job[] = ['kelpie-api', 'kelpie-worker'];

function eachProcess(name: string, kind: Kind, labels: PublishedMetric['labels'] = {}): PublishedMetric {
  return { name, kind, jobs: processes, labels };
}

/** Of the one worker that reads them for all. */
function shared(name: string, labels: PublishedMetric['labels'] = {}): PublishedMetric {
  return { name, kind: 'gauge', jobs: ['kelpie-worker'], labels };
}

const ofProcesses: readonly PublishedMetric[] = [
  {
    name: 'http_server_request_duration_seconds',
    kind: 'histogram',
    jobs: ['kelpie-api'],
    labels: {
      http_request_method: ['POST'],
      http_route: ['/v1/payouts'],
      http_response_status_code: ['201', '503'],
    },
  },
  eachProcess('db_client_connection_wait_time_seconds', 'histogram', { pool: ['service'] }),
  eachProcess('db_client_connection_count', 'gauge', { pool: ['service'], state: ['used', 'idle'] }),
  eachProcess('db_client_connection_pending_requests', 'gauge', { pool: ['service'] }),
  eachProcess('nodejs_eventloop_delay_p99_seconds', 'gauge'),
  eachProcess('process_memory_usage_bytes', 'gauge'),
  eachProcess('kelpie_build_info', 'gauge', { version: ['0.1.0'], commit: ['0123abc'], process: ['api'] }),
  eachProcess('kelpie_writes_open', 'gauge'),
  eachProcess('kelpie_bank_request_duration_seconds', 'histogram', {
    environment,
    operation: ['send'],
    outcome: ['ok', 'refused', 'unclear', 'unavailable'],
  }),
  eachProcess('kelpie_bank_breaker_open', 'gauge', { environment }),
  eachProcess('kelpie_payout_completion_seconds', 'histogram', { environment }),
  eachProcess('kelpie_payouts_total', 'counter', { environment, state: ['processing', 'completed', 'failed'] }),
  eachProcess('kelpie_webhook_delay_seconds', 'histogram', { environment }),
  eachProcess('kelpie_webhook_attempts_total', 'counter', { outcome: ['delivered', 'failed'] }),
  eachProcess('kelpie_log_lines_dropped_total', 'counter'),
  eachProcess('kelpie_worker_heartbeat_timestamp_seconds', 'gauge'),
  {
    name: 'kelpie_standby_reads_total',
    kind: 'counter',
    jobs: ['kelpie-api'],
    labels: { outcome: ['answered', 'behind', 'paused'] },
  },
  { name: 'kelpie_connections_refused_total', kind: 'counter', jobs: ['kelpie-api'], labels: {} },
  { name: 'kelpie_stalled_readers_total', kind: 'counter', jobs: ['kelpie-api'], labels: {} },
  { name: 'kelpie_waiting_requests', kind: 'gauge', jobs: ['kelpie-api'], labels: {} },
];

const state = ['sending', 'pending', 'processing'];
const queue = ['reconcile', 'send-mail'];

const ofTheElectedWorker: readonly PublishedMetric[] = [
  shared('kelpie_open_payouts', { environment, state }),
  shared('kelpie_oldest_open_payout_seconds', { environment, state }),
  shared('kelpie_money_in_flight_usdc', { environment }),
  shared('kelpie_open_cases', { environment }),
  shared('kelpie_oldest_case_seconds', { environment }),
  shared('kelpie_payment_blocks', { cause: ['rail_paused', 'suspended'] }),
  shared('kelpie_wallet_runway_seconds', { environment }),
  shared('kelpie_wallets_low', { environment }),
  shared('kelpie_jobs_waiting', { queue }),
  shared('kelpie_oldest_job_seconds', { queue }),
  shared('kelpie_jobs_failed', { queue }),
  shared('kelpie_schedule_success_timestamp_seconds', { queue }),
  shared('kelpie_schedule_late_seconds', { queue }),
  shared('kelpie_reconciled_timestamp_seconds'),
  shared('kelpie_ledger_verified_timestamp_seconds'),
  shared('kelpie_months_ahead'),
  shared('kelpie_mails_waiting'),
  shared('kelpie_oldest_mail_seconds'),
  shared('kelpie_unnumbered_events'),
  shared('kelpie_oldest_unnumbered_event_seconds'),
  shared('kelpie_pending_deliveries'),
  shared('kelpie_oldest_due_delivery_seconds'),
  shared('kelpie_webhooks', { state: ['enabled', 'failing', 'disabled'] }),
  shared('kelpie_figures_timestamp_seconds'),
];

function other(job: Job, name: string, kind: Kind, labels: PublishedMetric['labels'] = {}): PublishedMetric {
  return { name, kind, jobs: [job], labels };
}

/** Of programs that are not Kelpie's, in the versions of Debian 12. */
const ofOthers: readonly PublishedMetric[] = [
  other('patroni', 'patroni_master', 'gauge', { scope: ['kelpie'] }),
  other('patroni', 'patroni_replica', 'gauge', { scope: ['kelpie'] }),
  other('patroni', 'patroni_sync_standby', 'gauge', { scope: ['kelpie'] }),
  other('patroni', 'patroni_postgres_running', 'gauge', { scope: ['kelpie'] }),
  other('patroni', 'patroni_xlog_location', 'counter', { scope: ['kelpie'] }),
  other('patroni', 'patroni_xlog_replayed_location', 'counter', { scope: ['kelpie'] }),
  other('patroni', 'patroni_dcs_last_seen', 'gauge', { scope: ['kelpie'] }),
  other('patroni', 'patroni_is_paused', 'gauge', { scope: ['kelpie'] }),
  other('haproxy', 'haproxy_backend_active_servers', 'gauge', { proxy: ['postgresql'] }),
  other('haproxy', 'haproxy_backend_current_sessions', 'gauge', { proxy: ['postgresql'] }),
  other('prometheus', 'prometheus_rule_evaluation_failures_total', 'counter', { rule_group: ['money'] }),
  other('prometheus', 'prometheus_notifications_dropped_total', 'counter', { alertmanager: ['127.0.0.1:9093'] }),
  other('prometheus', 'prometheus_config_last_reload_successful', 'gauge'),
  other('alertmanager', 'alertmanager_notifications_failed_total', 'counter', { integration: ['webhook'] }),
];

export const ownMetrics: readonly PublishedMetric[] = [...ofProcesses, ...ofTheElectedWorker];

export const publishedMetrics: readonly PublishedMetric[] = [...ownMetrics, ...ofOthers];

/** Made by Prometheus itself. */
const builtIn = ['up', 'ALERTS'];

/** The names by which a query may ask. A histogram is asked for by its series. */
export function listSeriesNames(): Set<string> {
  const names = publishedMetrics.flatMap(({ name, kind }) =>
    kind === 'histogram' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name],
  );
  return new Set([...names, ...builtIn]);
}
