import type { Dashboard } from './panels.ts';

export const operationsDashboard: Dashboard = {
  name: 'kelpie-operations',
  title: 'Kelpie: operations',
  description: 'Workers, jobs, schedules, email, webhooks, replication and the books.',
  rows: [
    {
      title: 'Workers',
      panels: [
        {
          title: 'Heartbeat',
          description: 'Seconds since a worker last raised it. Alert above 60.',
          unit: 's',
          isValue: true,
          threshold: { value: 60 },
          queries: [{ expression: 'time() - max(kelpie_worker_heartbeat_timestamp_seconds)', legend: 'ago' }],
        },
        {
          title: 'Figures',
          description: 'Seconds since the elected worker read the database. Alert above 120.',
          unit: 's',
          isValue: true,
          threshold: { value: 120 },
          queries: [{ expression: 'time() - max(kelpie_figures_timestamp_seconds)', legend: 'ago' }],
        },
        {
          title: 'Can write',
          description: 'Processes that can write to the database.',
          unit: 'short',
          isValue: true,
          queries: [{ expression: 'sum(kelpie_writes_open)', legend: 'processes' }],
        },
        {
          title: 'Months ahead',
          description: 'With a partition in every table. Alert below 2.',
          unit: 'short',
          isValue: true,
          threshold: { value: 2, isBelow: true },
          queries: [{ expression: 'min(kelpie_months_ahead)', legend: 'months' }],
        },
      ],
    },
    {
      title: 'Jobs',
      panels: [
        {
          title: 'Jobs that wait',
          description: 'By queue.',
          unit: 'short',
          queries: [{ expression: 'max by (queue) (kelpie_jobs_waiting) > 0', legend: '{{queue}}' }],
        },
        {
          title: 'Age of the oldest job',
          description: 'By queue. Alert above 15 minutes.',
          unit: 's',
          threshold: { value: 900 },
          queries: [{ expression: 'max by (queue) (kelpie_oldest_job_seconds) > 0', legend: '{{queue}}' }],
        },
        {
          title: 'Jobs given up',
          description: 'Still kept, by queue. A new one alerts for a day.',
          unit: 'short',
          queries: [{ expression: 'max by (queue) (kelpie_jobs_failed) > 0', legend: '{{queue}}' }],
        },
        {
          title: 'Late schedules',
          description: 'Since when each should have succeeded. Alert above an hour.',
          unit: 's',
          threshold: { value: 3_600 },
          queries: [{ expression: 'max by (queue) (kelpie_schedule_late_seconds) > 0', legend: '{{queue}}' }],
        },
        {
          title: 'Since the last success',
          description: 'By schedule.',
          unit: 's',
          queries: [
            {
              expression: 'time() - max by (queue) (kelpie_schedule_success_timestamp_seconds > 0)',
              legend: '{{queue}}',
            },
          ],
        },
      ],
    },
    {
      title: 'Email, events and webhooks',
      panels: [
        {
          title: 'Emails that wait',
          description: 'And the age of the oldest, below. Alert above 15 minutes.',
          unit: 'short',
          queries: [{ expression: 'max(kelpie_mails_waiting)', legend: 'emails' }],
        },
        {
          title: 'Age of the oldest',
          description: 'An email, an event without a number, a delivery that is due.',
          unit: 's',
          queries: [
            { expression: 'max(kelpie_oldest_mail_seconds)', legend: 'email' },
            { expression: 'max(kelpie_oldest_unnumbered_event_seconds)', legend: 'event' },
            { expression: 'max(kelpie_oldest_due_delivery_seconds)', legend: 'delivery' },
          ],
        },
        {
          title: 'Events and deliveries that wait',
          description: 'Deliveries include those to webhooks that fail.',
          unit: 'short',
          queries: [
            { expression: 'max(kelpie_unnumbered_events)', legend: 'events without a number' },
            { expression: 'max(kelpie_pending_deliveries)', legend: 'deliveries' },
          ],
        },
        {
          title: 'Delay of webhooks',
          description: 'From the commit to the first attempt, in live. The objective is 99% within 30 s.',
          unit: 's',
          threshold: { value: 30 },
          queries: ['0.5', '0.99'].map((quantile) => ({
            expression: `histogram_quantile(${quantile}, sum by (le) (rate(kelpie_webhook_delay_seconds_bucket{environment="live"}[5m])))`,
            legend: `p${Number(quantile) * 100}`,
          })),
        },
        {
          title: 'Attempts',
          description: 'Per second, by outcome.',
          unit: 'reqps',
          queries: [
            { expression: 'sum by (outcome) (rate(kelpie_webhook_attempts_total[5m]))', legend: '{{outcome}}' },
          ],
        },
        {
          title: 'Webhooks by state',
          description: 'Many that fail at once point to our own network.',
          unit: 'short',
          queries: [{ expression: 'max by (state) (kelpie_webhooks)', legend: '{{state}}' }],
        },
      ],
    },
    {
      title: 'Database cluster',
      panels: [
        {
          title: 'Roles',
          description: 'One leader, one synchronous standby, two replicas.',
          unit: 'short',
          queries: [
            { expression: 'sum(patroni_master)', legend: 'leader' },
            { expression: 'sum(patroni_sync_standby)', legend: 'synchronous standby' },
            { expression: 'sum(patroni_replica)', legend: 'replicas' },
          ],
        },
        {
          title: 'Replication lag',
          description: 'Bytes that a replica has not replayed yet. Alert above 64 MiB.',
          unit: 'bytes',
          threshold: { value: 67_108_864 },
          queries: [
            {
              expression:
                'scalar(max(patroni_xlog_location)) - (patroni_xlog_replayed_location and patroni_replica == 1)',
              legend: '{{instance}}',
            },
          ],
        },
        {
          title: 'Connections through HAProxy',
          description: 'By host.',
          unit: 'short',
          queries: [
            {
              expression: 'haproxy_backend_current_sessions{proxy="postgresql"}',
              legend: '{{instance}}',
            },
          ],
        },
        {
          title: 'Nodes that HAProxy can use',
          description: 'One, the leader.',
          unit: 'short',
          queries: [{ expression: 'haproxy_backend_active_servers{proxy="postgresql"}', legend: '{{instance}}' }],
        },
      ],
    },
  ],
};
