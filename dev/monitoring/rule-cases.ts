// What each alert must do with good and bad data. Times are real: `for` and the windows are those of production.
import { created, ofProcesses, patroni, refused, requests, shared } from './healthy-series.ts';
import {
  counts,
  faultAt,
  jumps,
  long,
  medium,
  stops,
  turns,
  type Spans,
  type Step,
  type Values,
} from './sample-values.ts';

export interface RuleCase {
  /** The alert that it is about. */
  alert: string;
  name: string;
  /** Replace or add to the healthy series. */
  series: Readonly<Record<string, Values>>;
  /** The time in minutes, and every alert that fires then. */
  firing: readonly (readonly [minutes: number, alerts: readonly string[]])[];
  /** Of samples and evaluations. Production's, unless a case takes hours or days. */
  step?: Step;
  /** Objectives whose alerts another one holds back at that time. */
  explained?: readonly [minutes: number, objectives: readonly string[]];
}

const heartbeat = 'kelpie_worker_heartbeat_timestamp_seconds';
const figures = shared('kelpie_figures_timestamp_seconds');

/** An alert on a gauge: silent until just before `for` is over, then firing, and nothing else with it. */
function onGauge(alert: string, series: string, values: Values, forMinutes: number): RuleCase {
  const firesAt = faultAt + forMinutes;
  return {
    alert,
    name: `${series} makes it fire after ${forMinutes} minutes`,
    series: { [series]: values },
    firing: [
      [firesAt - 0.25, []],
      [firesAt, [alert]],
    ],
  };
}

const processCases: readonly RuleCase[] = [
  {
    alert: 'NoApi',
    name: 'every api is down',
    series: Object.fromEntries(['api1', 'api2'].map((one) => [`up{job="kelpie-api",instance="${one}"}`, turns(1, 0)])),
    firing: [
      [10.75, []],
      [11, ['NoApi']],
      [15, ['NoApi', 'ProcessDown']],
    ],
    explained: [12, ['creation_errors', 'creation_latency']],
  },
  {
    alert: 'NoApi',
    name: 'Prometheus has no api to ask',
    series: Object.fromEntries(
      ['api1', 'api2'].map((one) => [`up{job="kelpie-api",instance="${one}"}`, turns(1, '_')]),
    ),
    // The last sample counts for 5 minutes.
    firing: [
      [14, []],
      [17, ['NoApi']],
    ],
  },
  {
    alert: 'NoWorker',
    name: 'the heartbeat stands still',
    series: ofProcesses(heartbeat, stops()),
    firing: [
      [11.5, []],
      [12.25, ['NoWorker']],
    ],
    explained: [13, ['completion', 'webhooks']],
  },
  {
    alert: 'NoWorker',
    name: 'no process has read a heartbeat',
    series: ofProcesses(heartbeat, turns('_', '_')),
    firing: [
      [0.75, []],
      [1, ['NoWorker']],
    ],
  },
  onGauge('ProcessDown', 'up{job="kelpie-worker",instance="worker2"}', turns(1, 0), 5),
  {
    alert: 'WritesClosed',
    name: 'no process can write',
    series: ofProcesses('kelpie_writes_open', turns(1, 0)),
    firing: [
      [10.75, []],
      [11, ['WritesClosed']],
      [15, ['ProcessWritesClosed', 'WritesClosed']],
    ],
    explained: [12, ['completion', 'creation_errors', 'creation_latency', 'webhooks']],
  },
  onGauge('ProcessWritesClosed', 'kelpie_writes_open{job="kelpie-api",instance="api2"}', turns(1, 0), 5),
  onGauge(
    'EventLoopSlow',
    'nodejs_eventloop_delay_p99_seconds{job="kelpie-api",instance="api1"}',
    turns(0.03, 0.8),
    10,
  ),
  {
    alert: 'PoolWaits',
    name: 'one request in ten waits longer than a second for a connection',
    series: {
      'db_client_connection_wait_time_seconds_bucket{instance="api1",pool="service",le="1"}': counts(10, 9),
    },
    firing: [
      [20, []],
      [25, ['PoolWaits']],
    ],
  },
  onGauge('MemoryHigh', 'process_memory_usage_bytes{job="kelpie-worker",instance="worker1"}', turns(250e6, 1.2e9), 15),
  {
    alert: 'LogLinesDropped',
    name: 'lines were dropped once',
    series: { 'kelpie_log_lines_dropped_total{job="kelpie-api",instance="api1"}': turns(7, 90) },
    firing: [
      [9.75, []],
      [10, ['LogLinesDropped']],
      [26, []],
    ],
  },
  {
    alert: 'FiguresStale',
    name: 'the elected worker hangs',
    series: { [figures]: stops() },
    firing: [
      [14.5, []],
      [15.25, ['FiguresStale']],
    ],
  },
  {
    alert: 'FiguresStale',
    name: 'no worker is elected',
    series: { [figures]: turns('_', '_') },
    firing: [
      [2.75, []],
      [3, ['FiguresStale']],
    ],
  },
  onGauge('ClockAhead', figures, jumps(30), 5),
  onGauge('MonitoringFailing', 'prometheus_config_last_reload_successful{job="prometheus"}', turns(1, 0), 5),
  onGauge('MonitoringFailing', 'up{job="alertmanager",instance="alertmanager1"}', turns(1, 0), 5),
  onGauge(
    'MonitoringFailing',
    'alertmanager_notifications_failed_total{job="alertmanager",integration="webhook"}',
    counts(0, 1),
    5.25,
  ),
  onGauge(
    'MonitoringFailing',
    'prometheus_rule_evaluation_failures_total{job="prometheus",rule_group="money"}',
    counts(0, 1),
    5.25,
  ),
];

const databaseCases: readonly RuleCase[] = [
  {
    alert: 'NoLeader',
    name: 'no node leads',
    series: { [patroni('master', 1)]: turns(1, 0), [patroni('sync_standby', 2)]: turns(1, 0) },
    firing: [
      [10.25, []],
      [10.5, ['NoLeader']],
    ],
  },
  {
    alert: 'NoLeader',
    name: 'no node answers',
    series: {
      ...Object.fromEntries([1, 2, 3].map((node) => [`up{job="patroni",instance="node${node}"}`, turns(1, 0)])),
      ...Object.fromEntries([1, 2, 3].map((node) => [patroni('master', node), turns(0, '_')])),
    },
    firing: [[10.5, ['NoLeader']]],
  },
  {
    alert: 'NoSynchronousStandby',
    name: 'both standbys are gone',
    series: { [patroni('sync_standby', 2)]: turns(1, 0) },
    firing: [
      [10.25, []],
      [10.5, ['NoSynchronousStandby']],
    ],
    explained: [12, ['completion', 'creation_errors', 'creation_latency', 'webhooks']],
  },
  onGauge('DatabaseNodeDown', 'up{job="patroni",instance="node3"}', turns(1, 0), 5),
  onGauge('DatabaseNodeDown', patroni('postgres_running', 3), turns(1, 0), 5),
  onGauge('ReplicationLag', patroni('xlog_replayed_location', 3), turns(5e9, 4.9e9), 5),
  onGauge('ClusterStoreUnavailable', patroni('dcs_last_seen', 2), stops(), 3),
  onGauge('FailoverPaused', patroni('is_paused', 1), turns(0, 1), 60),
  onGauge('DatabaseProxyDown', 'up{job="haproxy",instance="proxy1"}', turns(1, 0), 2),
  onGauge(
    'ProxyWithoutLeader',
    'haproxy_backend_active_servers{job="haproxy",instance="proxy1",proxy="postgresql"}',
    turns(1, 0),
    1,
  ),
];

const payoutAge = (state: string): string =>
  shared('kelpie_oldest_open_payout_seconds', `environment="live",state="${state}"`);

const moneyCases: readonly RuleCase[] = [
  onGauge('PayoutPendingTooLong', payoutAge('pending'), turns(40, 1_900), 2),
  onGauge('PayoutPendingTooLong', payoutAge('sending'), turns(0, 1_900), 2),
  onGauge('PayoutProcessingTooLong', payoutAge('processing'), turns(600, 15_000), 2),
  onGauge('BankBreakerOpen', 'kelpie_bank_breaker_open{environment="live"}', turns(0, 1), 2),
  {
    alert: 'BankBreakerOpen',
    name: 'a bank that failed for a moment is no alert',
    series: { 'kelpie_bank_breaker_open{environment="sandbox"}': `0x39 1x5 0x40` },
    firing: [
      [12, []],
      [20, []],
    ],
  },
  {
    alert: 'BankAnswersUnclear',
    name: 'a tenth of the answers is unclear',
    series: { 'kelpie_bank_request_duration_seconds_count{environment="live",outcome="unclear"}': counts(0, 1) },
    firing: [
      [15, []],
      [22, ['BankAnswersUnclear']],
    ],
  },
  {
    alert: 'BankAnswersUnclear',
    name: 'an outage that the breaker reported is no second alert afterwards',
    series: {
      'kelpie_bank_breaker_open{environment="live"}': '0x39 1x19 0x200',
      'kelpie_bank_request_duration_seconds_count{environment="live",outcome="unclear"}': `2x39 2+15x19 302x200`,
    },
    firing: [
      [14, ['BankBreakerOpen']],
      [16, []],
      [24, []],
    ],
  },
  {
    alert: 'RailPaused',
    name: 'an operator pauses a rail, and resumes it',
    series: {
      [shared('kelpie_payment_blocks', 'cause="rail_paused"')]: `_x40 1x40 stale`,
    },
    firing: [
      [10.25, []],
      [10.5, ['RailPaused']],
      [21, []],
    ],
  },
  onGauge('WalletRunwayShort', shared('kelpie_wallet_runway_seconds', 'environment="live"'), turns(864_000, 7_200), 60),
  onGauge('CaseTooOld', shared('kelpie_oldest_case_seconds', 'environment="live"'), turns(7_200, 90_000), 5),
  ...[
    { late: 'ReconciliationNotClean', never: 'ReconciliationNeverClean', name: 'kelpie_reconciled_timestamp_seconds' },
    { late: 'LedgerNotVerified', never: 'LedgerNeverVerified', name: 'kelpie_ledger_verified_timestamp_seconds' },
  ].flatMap(({ late, never, name }): RuleCase[] => {
    const series = shared(name);
    const hour = 60;
    return [
      {
        alert: late,
        name: 'the last good one was 26 hours ago',
        series: { [series]: `1x${long.after}` },
        step: '4m',
        firing: [
          [26 * hour, []],
          [26 * hour + 12, [late]],
        ],
      },
      {
        alert: never,
        name: 'a new installation has a day for its first',
        series: { [series]: `0x${long.after}` },
        step: '4m',
        firing: [
          [26 * hour - 4, []],
          [26 * hour, [never]],
        ],
      },
    ];
  }),
];

const operationsCases: readonly RuleCase[] = [
  onGauge('ScheduleLate', shared('kelpie_schedule_late_seconds', 'queue="low-wallets"'), turns(0, 4_000), 5),
  {
    alert: 'JobGivenUp',
    name: 'one more job is given up, for a day',
    series: { [shared('kelpie_jobs_failed', 'queue="send-mail"')]: turns(2, 3, long) },
    step: '4m',
    firing: [
      [12, []],
      [16, ['JobGivenUp']],
      [24 * 60, ['JobGivenUp']],
      [24 * 60 + 16, []],
    ],
  },
  {
    alert: 'JobGivenUp',
    name: 'another worker publishes what was given up before',
    series: {
      [shared('kelpie_jobs_failed', 'queue="send-mail"')]: turns(2, '_'),
      'kelpie_jobs_failed{job="kelpie-worker",instance="worker2",queue="send-mail"}': turns('_', 2),
    },
    firing: [[20, []]],
  },
  onGauge('QueueTooOld', shared('kelpie_oldest_job_seconds', 'queue="send-mail"'), turns(2, 1_000), 5),
  onGauge('MonthsMissing', shared('kelpie_months_ahead'), turns(3, 1), 30),
  onGauge('NextMonthMissing', shared('kelpie_months_ahead'), turns(3, 0), 1),
  onGauge('EmailTooOld', shared('kelpie_oldest_mail_seconds'), turns(1, 1_000), 2),
  onGauge('EventsNotNumbered', shared('kelpie_oldest_unnumbered_event_seconds'), turns(0, 90), 1),
  onGauge('DeliveriesLate', shared('kelpie_oldest_due_delivery_seconds'), turns(0, 400), 5),
];

interface Objective {
  alert: string;
  /** The series of the good ones, of 10 or 5 a second, and what becomes of them where that share fails. */
  failing: (share: number, spans: Spans) => Record<string, Values>;
}

const objectives: readonly Objective[] = [
  {
    alert: 'CreationErrorBudgetBurn',
    failing: (share, spans) => ({ [`${requests}_count{${refused}}`]: counts(0, 10 * share, spans) }),
  },
  {
    alert: 'CreationLatencyBudgetBurn',
    failing: (share, spans) => ({ [`${requests}_bucket{${created},le="1"}`]: counts(10, 10 * (1 - share), spans) }),
  },
  {
    alert: 'CompletionBudgetBurn',
    failing: (share, spans) => ({
      'kelpie_payout_completion_seconds_bucket{environment="live",le="300"}': counts(5, 5 * (1 - share), spans),
    }),
  },
  {
    alert: 'WebhookDelayBudgetBurn',
    failing: (share, spans) => ({
      'kelpie_webhook_delay_seconds_bucket{environment="live",le="30"}': counts(5, 5 * (1 - share), spans),
    }),
  },
];

/** The share that may fail. */
const budgetOf = ({ alert }: Objective): number => (alert === 'CreationErrorBudgetBurn' ? 0.0005 : 0.01);

/** All four at once, each with this multiple of its budget. */
function allFailing(times: number, spans: Spans): Record<string, Values> {
  return Object.fromEntries(objectives.flatMap((each) => Object.entries(each.failing(times * budgetOf(each), spans))));
}

const pages = objectives.map(({ alert }) => alert);
const tickets = pages.map((alert) => `${alert}Slow`);

const objectiveCases: readonly RuleCase[] = [
  ...objectives.map((objective): RuleCase => ({
    alert: objective.alert,
    name: '50 times the budget pages within minutes',
    series: objective.failing(50 * budgetOf(objective), medium),
    step: '1m',
    firing: [
      [12, []],
      [20, [objective.alert]],
    ],
  })),
  {
    alert: 'CreationErrorBudgetBurn',
    name: '10 times the budget of each objective pages within the hour',
    series: allFailing(10, medium),
    step: '1m',
    firing: [
      [25, []],
      [55, [...pages, ...tickets]],
    ],
  },
  {
    alert: 'CreationErrorBudgetBurnSlow',
    name: 'twice the budget of each objective is a ticket',
    series: allFailing(2, long),
    step: '4m',
    firing: [
      [24, []],
      [12 * 60, tickets],
    ],
  },
  {
    alert: 'CreationErrorBudgetBurn',
    name: 'half the budget is fine',
    series: allFailing(0.5, long),
    step: '4m',
    firing: [[24 * 60, []]],
  },
];

const quietCases: readonly RuleCase[] = [
  {
    alert: 'CreationErrorBudgetBurn',
    name: 'a single failure with little traffic wakes no one',
    series: {
      [`${requests}_count{${created}}`]: counts(0.01, 0.01, medium),
      [`${requests}_bucket{${created},le="1"}`]: counts(0.01, 0.01, medium),
      [`${requests}_count{${refused}}`]: turns(0, 1, medium),
    },
    step: '1m',
    firing: [
      [15, []],
      [40, []],
    ],
  },
  {
    alert: 'CreationErrorBudgetBurn',
    name: 'no traffic at all is no failure',
    series: Object.fromEntries(
      [created, refused].flatMap((labels) => [
        [`${requests}_count{${labels}}`, turns('_', '_', medium)],
        [`${requests}_bucket{${labels},le="1"}`, turns('_', '_', medium)],
      ]),
    ),
    step: '1m',
    firing: [[30, []]],
  },
  {
    alert: 'Watchdog',
    name: 'days in which nothing is wrong',
    series: {},
    step: '4m',
    firing: [
      [1, []],
      [24 * 60, []],
    ],
  },
  {
    alert: 'BudgetExplained',
    name: 'minutes in which nothing is wrong',
    series: {},
    firing: [[20, []]],
    explained: [20, []],
  },
];

export const ruleCases: readonly RuleCase[] = [
  ...processCases,
  ...databaseCases,
  ...moneyCases,
  ...operationsCases,
  ...objectiveCases,
  ...quietCases,
];
