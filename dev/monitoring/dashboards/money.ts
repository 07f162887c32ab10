import type { Dashboard } from './panels.ts';

export const moneyDashboard: Dashboard = {
  name: 'kelpie-money',
  title: 'Kelpie: money',
  description: 'Payouts by state, what is in flight, the bank, cases and wallets.',
  rows: [
    {
      title: 'Now, in live',
      panels: [
        {
          title: 'In flight',
          description: 'USDC held for payouts that are not final.',
          unit: 'none',
          isValue: true,
          queries: [{ expression: 'max(kelpie_money_in_flight_usdc{environment="live"})', legend: 'USDC' }],
        },
        {
          title: 'Oldest pending',
          description: 'The bank gave no clear answer. Alert above 30 minutes.',
          unit: 's',
          isValue: true,
          threshold: { value: 1_800 },
          queries: [
            {
              expression: 'max(kelpie_oldest_open_payout_seconds{environment="live",state=~"sending|pending"})',
              legend: 'age',
            },
          ],
        },
        {
          title: 'Payment blocks',
          description: 'All causes. A block of a rail pages.',
          unit: 'short',
          isValue: true,
          queries: [{ expression: 'sum(max by (cause) (kelpie_payment_blocks))', legend: 'blocks' }],
        },
        {
          title: 'Open cases',
          description: 'An operator has to close each.',
          unit: 'short',
          isValue: true,
          queries: [{ expression: 'max(kelpie_open_cases{environment="live"})', legend: 'cases' }],
        },
        {
          title: 'Last clean reconciliation',
          description: 'Alert after 26 hours.',
          unit: 's',
          isValue: true,
          threshold: { value: 93_600 },
          queries: [{ expression: 'time() - max(kelpie_reconciled_timestamp_seconds)', legend: 'ago' }],
        },
        {
          title: 'Last clean verification',
          description: 'Of the ledger. Alert after 26 hours.',
          unit: 's',
          isValue: true,
          threshold: { value: 93_600 },
          queries: [{ expression: 'time() - max(kelpie_ledger_verified_timestamp_seconds)', legend: 'ago' }],
        },
      ],
    },
    {
      title: 'Payouts',
      panels: [
        {
          title: 'States entered',
          description: 'Payouts per second.',
          unit: 'short',
          queries: [
            {
              expression: 'sum by (environment, state) (rate(kelpie_payouts_total[5m]))',
              legend: '{{environment}} {{state}}',
            },
          ],
        },
        {
          title: 'Open payouts',
          description: 'By state. They rise while the bank does not answer or no worker runs.',
          unit: 'short',
          queries: [
            { expression: 'max by (environment, state) (kelpie_open_payouts)', legend: '{{environment}} {{state}}' },
          ],
        },
        {
          title: 'Age of the oldest open payout',
          description: 'Alert in live: pending for 30 minutes, processing for 4 hours.',
          unit: 's',
          queries: [
            {
              expression: 'max by (environment, state) (kelpie_oldest_open_payout_seconds)',
              legend: '{{environment}} {{state}}',
            },
          ],
        },
        {
          title: 'Time to completion',
          description: 'From creation, in live. The objective is 99% within 5 minutes.',
          unit: 's',
          threshold: { value: 300 },
          queries: ['0.5', '0.95', '0.99'].map((quantile) => ({
            expression: `histogram_quantile(${quantile}, sum by (le) (rate(kelpie_payout_completion_seconds_bucket{environment="live"}[30m])))`,
            legend: `p${Number(quantile) * 100}`,
          })),
        },
        {
          title: 'Money in flight',
          description: 'USDC held for payouts that are not final.',
          unit: 'none',
          queries: [{ expression: 'max by (environment) (kelpie_money_in_flight_usdc)', legend: '{{environment}}' }],
        },
        {
          title: 'Payment blocks',
          description: 'By cause.',
          unit: 'short',
          queries: [{ expression: 'max by (cause) (kelpie_payment_blocks)', legend: '{{cause}}' }],
        },
      ],
    },
    {
      title: 'Bank',
      panels: [
        {
          title: 'Calls by outcome',
          description: 'Per second. After an unclear outcome the payout stays pending.',
          unit: 'reqps',
          queries: [
            {
              expression: 'sum by (environment, outcome) (rate(kelpie_bank_request_duration_seconds_count[5m]))',
              legend: '{{environment}} {{outcome}}',
            },
          ],
        },
        {
          title: 'Latency of the live bank',
          description: '99th percentile by operation.',
          unit: 's',
          queries: [
            {
              expression:
                'histogram_quantile(0.99, sum by (le, operation) (rate(kelpie_bank_request_duration_seconds_bucket{environment="live"}[5m])))',
              legend: '{{operation}}',
            },
          ],
        },
        {
          title: 'Breakers that are open',
          description: 'Processes that stopped calling the bank for a moment.',
          unit: 'short',
          queries: [{ expression: 'sum by (environment) (kelpie_bank_breaker_open)', legend: '{{environment}}' }],
        },
      ],
    },
    {
      title: 'Cases and wallets',
      panels: [
        {
          title: 'Open cases',
          description: 'By environment.',
          unit: 'short',
          queries: [{ expression: 'max by (environment) (kelpie_open_cases)', legend: '{{environment}}' }],
        },
        {
          title: 'Age of the oldest case',
          description: 'Alert in live after a day.',
          unit: 's',
          threshold: { value: 86_400 },
          queries: [{ expression: 'max by (environment) (kelpie_oldest_case_seconds)', legend: '{{environment}}' }],
        },
        {
          title: 'Shortest runway of a wallet',
          description: 'Balance divided by the spending of the last 7 days. Alert in live below a day.',
          unit: 's',
          threshold: { value: 86_400, isBelow: true },
          queries: [{ expression: 'min by (environment) (kelpie_wallet_runway_seconds)', legend: '{{environment}}' }],
        },
        {
          title: 'Wallets below their limit',
          description: 'Their partners were emailed.',
          unit: 'short',
          queries: [{ expression: 'max by (environment) (kelpie_wallets_low)', legend: '{{environment}}' }],
        },
      ],
    },
  ],
};
