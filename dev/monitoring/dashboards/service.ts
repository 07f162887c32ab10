import type { Dashboard } from './panels.ts';

const creation = 'http_request_method="POST",http_route="/v1/payouts"';

export const serviceDashboard: Dashboard = {
  name: 'kelpie-service',
  title: 'Kelpie: service',
  description: 'Requests, errors and latency by route, and what each process is made of.',
  rows: [
    {
      title: 'Objectives',
      panels: [
        {
          title: 'Creations that failed',
          description: 'Share of POST /v1/payouts with a 5xx, over an hour and over 3 days. The objective is 0.05%.',
          unit: 'percentunit',
          threshold: { value: 0.0005 },
          queries: [
            { expression: 'kelpie:creation_failed:ratio_rate1h', legend: '1 hour' },
            { expression: 'kelpie:creation_failed:ratio_rate3d', legend: '3 days' },
          ],
        },
        {
          title: 'Creations slower than 1 s',
          description: 'Share of those that were not answered with a 5xx. The objective is 1%.',
          unit: 'percentunit',
          threshold: { value: 0.01 },
          queries: [
            { expression: 'kelpie:creation_slow:ratio_rate1h', legend: '1 hour' },
            { expression: 'kelpie:creation_slow:ratio_rate3d', legend: '3 days' },
          ],
        },
        {
          title: 'Completions later than 5 minutes',
          description: 'Share of live payouts that completed. The objective is 1%.',
          unit: 'percentunit',
          threshold: { value: 0.01 },
          queries: [
            { expression: 'kelpie:completion_slow:ratio_rate1h', legend: '1 hour' },
            { expression: 'kelpie:completion_slow:ratio_rate3d', legend: '3 days' },
          ],
        },
        {
          title: 'Webhooks later than 30 s',
          description: 'Share of first attempts in live. The objective is 1%.',
          unit: 'percentunit',
          threshold: { value: 0.01 },
          queries: [
            { expression: 'kelpie:webhook_slow:ratio_rate1h', legend: '1 hour' },
            { expression: 'kelpie:webhook_slow:ratio_rate3d', legend: '3 days' },
          ],
        },
      ],
    },
    {
      title: 'Requests',
      panels: [
        {
          title: 'Requests by route',
          description: 'Per second, over all api processes.',
          unit: 'reqps',
          queries: [
            {
              expression:
                'topk(10, sum by (http_request_method, http_route) (rate(http_server_request_duration_seconds_count[5m])))',
              legend: '{{http_request_method}} {{http_route}}',
            },
          ],
        },
        {
          title: 'Errors by status',
          description: 'Answers of 4xx and 5xx per second. 429 is the rate limit, 503 the database or a drain.',
          unit: 'reqps',
          queries: [
            {
              expression:
                'sum by (http_response_status_code) (rate(http_server_request_duration_seconds_count{http_response_status_code=~"[45].."}[5m]))',
              legend: '{{http_response_status_code}}',
            },
          ],
        },
        {
          title: 'Latency of creation',
          description: 'POST /v1/payouts, the call to the bank included.',
          unit: 's',
          threshold: { value: 1 },
          queries: ['0.5', '0.95', '0.99'].map((quantile) => ({
            expression: `histogram_quantile(${quantile}, sum by (le) (rate(http_server_request_duration_seconds_bucket{${creation}}[5m])))`,
            legend: `p${Number(quantile) * 100}`,
          })),
        },
        {
          title: 'Latency by route',
          description: '99th percentile of the slowest ten.',
          unit: 's',
          queries: [
            {
              expression:
                'topk(10, histogram_quantile(0.99, sum by (le, http_request_method, http_route) (rate(http_server_request_duration_seconds_bucket[5m]))))',
              legend: '{{http_request_method}} {{http_route}}',
            },
          ],
        },
        {
          title: 'Requests that wait for a payout',
          description: 'Held open by ?wait=, per api process.',
          unit: 'short',
          queries: [{ expression: 'kelpie_waiting_requests', legend: '{{instance}}' }],
        },
      ],
    },
    {
      title: 'Processes',
      panels: [
        {
          title: 'Processes that answer',
          description: 'Of those that Prometheus knows.',
          unit: 'short',
          queries: [{ expression: 'sum by (job) (up{job=~"kelpie-.*"})', legend: '{{job}}' }],
        },
        {
          title: 'Versions',
          description: 'More than one for long is a deploy that was not finished.',
          unit: 'short',
          queries: [
            {
              expression: 'count by (process, version, commit) (kelpie_build_info)',
              legend: '{{process}} {{version}} {{commit}}',
            },
          ],
        },
        {
          title: 'Event loop delay',
          description: '99th percentile. Alert above 500 ms for 10 minutes.',
          unit: 's',
          threshold: { value: 0.5 },
          queries: [{ expression: 'nodejs_eventloop_delay_p99_seconds', legend: '{{job}} {{instance}}' }],
        },
        {
          title: 'Memory',
          description: 'Resident. Alert above 1 GB for 15 minutes.',
          unit: 'bytes',
          threshold: { value: 1e9 },
          queries: [{ expression: 'process_memory_usage_bytes', legend: '{{job}} {{instance}}' }],
        },
        {
          title: 'Wait for a connection',
          description: '99th percentile by pool. Alert above 1 s for 10 minutes.',
          unit: 's',
          threshold: { value: 1 },
          queries: [
            {
              expression:
                'histogram_quantile(0.99, sum by (instance, pool, le) (rate(db_client_connection_wait_time_seconds_bucket[5m])))',
              legend: '{{instance}} {{pool}}',
            },
          ],
        },
        {
          title: 'Connections',
          description: 'Of each pool, and how many callers wait for one.',
          unit: 'short',
          queries: [
            {
              expression: 'sum by (instance, pool, state) (db_client_connection_count)',
              legend: '{{instance}} {{pool}} {{state}}',
            },
            {
              expression: 'sum by (instance, pool) (db_client_connection_pending_requests)',
              legend: '{{instance}} {{pool}} waiting',
            },
          ],
        },
        {
          title: 'Log lines dropped',
          description: 'Per second. The reader of the log is too slow.',
          unit: 'short',
          queries: [{ expression: 'rate(kelpie_log_lines_dropped_total[5m])', legend: '{{job}} {{instance}}' }],
        },
      ],
    },
  ],
};
