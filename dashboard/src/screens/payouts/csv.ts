import type { Payout } from '@kelpie/sdk';

const columns: readonly [title: string, of: (payout: Payout) => string | null][] = [
  ['id', ({ id }) => id],
  ['created_at', (payout) => payout.created_at],
  ['status', ({ status }) => status],
  ['recipient', ({ recipient }) => recipient.name],
  ['account_last4', ({ recipient }) => recipient.account_last4],
  ['amount_gbp', (payout) => payout.amount_gbp],
  ['fee_gbp', (payout) => payout.fee_gbp],
  ['wallet_sent_usdc', (payout) => payout.wallet_sent_usdc],
  ['reference', ({ reference }) => reference],
  ['bank_reference', (payout) => payout.bank_reference],
  ['failure_code', (payout) => payout.failure_code],
  ['created_via', (payout) => payout.created_via],
  ['updated_at', (payout) => payout.updated_at],
];

/** A text that begins like a formula would be one to a spreadsheet: a name can be anybody's choice. */
function cell(value: string | null): string {
  const text = value ?? '';
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** As RFC 4180 has it. */
export function csvOf(payouts: readonly Payout[]): string {
  const rows = payouts.map((payout) => columns.map(([, of]) => cell(of(payout))));
  return [columns.map(([title]) => title), ...rows].map((row) => `${row.join(',')}\r\n`).join('');
}
