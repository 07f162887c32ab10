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

/**
 * The start of a formula, by the same rule as the CSV files of the API: an operator, in full width too, after spaces or invisible
 * characters, or a tab or line break. Apostrophes before it count, so that removing one restores the original text.
 */
const formulaStart = /^'*(?:[\t\r\n]|[\s\p{Cf}\p{Cc}]*[=+\-@＝＋－＠])/u;
const mustBeQuoted = /[",\r\n]|^\s|\s$/;

/** A spreadsheet runs a cell that begins like a formula, and a sender can choose any name. OWASP recommends the apostrophe. */
function cell(value: string | null): string {
  const text = value ?? '';
  const isFormula = formulaStart.test(text);
  const safe = isFormula ? `'${text}` : text;
  return isFormula || mustBeQuoted.test(text) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** As RFC 4180 has it. */
export function csvOf(payouts: readonly Payout[]): string {
  const rows = payouts.map((payout) => columns.map(([, of]) => cell(of(payout))));
  return [columns.map(([title]) => title), ...rows].map((row) => `${row.join(',')}\r\n`).join('');
}
