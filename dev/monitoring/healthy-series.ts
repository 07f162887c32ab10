// A system in which nothing is wrong: no alert may fire on it, however long.
import { always, counts, spansOf, type Step, type Values } from './sample-values.ts';

export const created = 'http_request_method="POST",http_route="/v1/payouts",http_response_status_code="201"';
export const refused = 'http_request_method="POST",http_route="/v1/payouts",http_response_status_code="503"';
export const requests = 'http_server_request_duration_seconds';

const instances = [
  ['kelpie-api', ['api1', 'api2']],
  ['kelpie-worker', ['worker1', 'worker2']],
  ['patroni', ['node1', 'node2', 'node3']],
  ['haproxy', ['proxy1']],
  ['prometheus', ['prometheus1']],
  ['alertmanager', ['alertmanager1']],
] as const;

type Series = Record<string, Values>;

/** The same values for a metric of every process of Kelpie. */
export function ofProcesses(name: string, values: Values): Series {
  return Object.fromEntries(
    instances
      .slice(0, 2)
      .flatMap(([job, each]) => each.map((instance) => [`${name}{job="${job}",instance="${instance}"}`, values])),
  );
}

/** A metric of the worker that is elected. */
export function shared(name: string, labels = ''): string {
  return `${name}{job="kelpie-worker",instance="worker1"${labels === '' ? '' : `,${labels}`}}`;
}

export function patroni(name: string, node: number): string {
  return `patroni_${name}{job="patroni",instance="node${node}",scope="kelpie"}`;
}

interface Forms {
  steady: (value: number) => Values;
  rising: (rate: number) => Values;
  /** The time itself. */
  clock: Values;
  /** A moment ago, always. */
  recently: Values;
}

function processes({ steady, rising, clock }: Forms): Series {
  const waits = 'db_client_connection_wait_time_seconds_bucket{instance="api1",pool="service"';
  return {
    ...ofProcesses('kelpie_writes_open', steady(1)),
    ...ofProcesses('kelpie_worker_heartbeat_timestamp_seconds', clock),
    ...ofProcesses('nodejs_eventloop_delay_p99_seconds', steady(0.03)),
    ...ofProcesses('process_memory_usage_bytes', steady(250e6)),
    ...ofProcesses('kelpie_log_lines_dropped_total', steady(7)),
    [`${requests}_count{${created}}`]: rising(10),
    [`${requests}_bucket{${created},le="1"}`]: rising(10),
    [`${requests}_count{${refused}}`]: steady(3),
    [`${requests}_bucket{${refused},le="1"}`]: steady(3),
    [`${waits},le="1"}`]: rising(10),
    [`${waits},le="5"}`]: rising(10),
    [`${waits},le="+Inf"}`]: rising(10),
    'kelpie_payout_completion_seconds_count{environment="live"}': rising(5),
    'kelpie_payout_completion_seconds_bucket{environment="live",le="300"}': rising(5),
    'kelpie_webhook_delay_seconds_count{environment="live"}': rising(5),
    'kelpie_webhook_delay_seconds_bucket{environment="live",le="30"}': rising(5),
    'kelpie_bank_breaker_open{environment="live"}': steady(0),
    'kelpie_bank_breaker_open{environment="sandbox"}': steady(0),
    'kelpie_bank_request_duration_seconds_count{environment="live",outcome="ok"}': rising(10),
    'kelpie_bank_request_duration_seconds_count{environment="live",outcome="unclear"}': steady(2),
  };
}

function figures({ steady, clock, recently }: Forms): Series {
  return {
    [shared('kelpie_figures_timestamp_seconds')]: clock,
    [shared('kelpie_oldest_open_payout_seconds', 'environment="live",state="pending"')]: steady(40),
    [shared('kelpie_oldest_open_payout_seconds', 'environment="live",state="processing"')]: steady(600),
    // The sandbox bank leaves some payouts open on request.
    [shared('kelpie_oldest_open_payout_seconds', 'environment="sandbox",state="pending"')]: steady(90_000),
    // A partner can stay suspended for years.
    [shared('kelpie_payment_blocks', 'cause="suspended"')]: steady(2),
    [shared('kelpie_wallet_runway_seconds', 'environment="live"')]: steady(864_000),
    [shared('kelpie_wallet_runway_seconds', 'environment="sandbox"')]: steady(60),
    [shared('kelpie_oldest_case_seconds', 'environment="live"')]: steady(7_200),
    [shared('kelpie_reconciled_timestamp_seconds')]: recently,
    [shared('kelpie_ledger_verified_timestamp_seconds')]: recently,
    [shared('kelpie_schedule_late_seconds', 'queue="low-wallets"')]: steady(0),
    [shared('kelpie_schedule_late_seconds', 'queue="reconcile"')]: steady(9_000),
    [shared('kelpie_jobs_failed', 'queue="send-mail"')]: steady(2),
    [shared('kelpie_oldest_job_seconds', 'queue="send-mail"')]: steady(2),
    [shared('kelpie_months_ahead')]: steady(3),
    [shared('kelpie_oldest_mail_seconds')]: steady(1),
    [shared('kelpie_oldest_unnumbered_event_seconds')]: steady(0),
    [shared('kelpie_oldest_due_delivery_seconds')]: steady(0),
  };
}

function cluster({ steady, clock }: Forms): Series {
  const nodes = [1, 2, 3].map((node): Series => {
    const isLeader = node === 1;
    return {
      [patroni('master', node)]: steady(isLeader ? 1 : 0),
      [patroni('replica', node)]: steady(isLeader ? 0 : 1),
      [patroni('sync_standby', node)]: steady(node === 2 ? 1 : 0),
      [patroni('postgres_running', node)]: steady(1),
      [patroni('xlog_location', node)]: steady(isLeader ? 5e9 : 0),
      [patroni('xlog_replayed_location', node)]: steady(isLeader ? 0 : 5e9),
      [patroni('dcs_last_seen', node)]: clock,
      [patroni('is_paused', node)]: steady(0),
    };
  });
  return {
    ...Object.fromEntries(nodes.flatMap((node) => Object.entries(node))),
    'haproxy_backend_active_servers{job="haproxy",instance="proxy1",proxy="postgresql"}': steady(1),
    'prometheus_rule_evaluation_failures_total{job="prometheus",rule_group="money"}': steady(0),
    'prometheus_notifications_dropped_total{job="prometheus"}': steady(0),
    'prometheus_config_last_reload_successful{job="prometheus"}': steady(1),
    'alertmanager_notifications_failed_total{job="alertmanager",integration="webhook"}': steady(0),
  };
}

export function healthySeries(step: Step): Series {
  const spans = spansOf[step];
  const forms = {
    steady: (value: number) => always(value, spans),
    rising: (rate: number) => counts(rate, rate, spans),
    clock: `0+${spans.stepSeconds}x${spans.before + spans.after}`,
    recently: `1+${spans.stepSeconds}x${spans.before + spans.after}`,
  };
  const up: Series = Object.fromEntries(
    instances.flatMap(([job, each]) =>
      each.map((instance) => [`up{job="${job}",instance="${instance}"}`, forms.steady(1)]),
    ),
  );
  return { ...up, ...processes(forms), ...figures(forms), ...cluster(forms) };
}
