// How commands print: a table or sentences for people. With --json, standard output is always one document:
// `{"data": …}` or `{"error": {"code", "message"}}`.
import type { EntryRow } from '../../ledger/index.ts';
import { formatExactUsdc, formatPounds } from '../../money/amounts.ts';

function inSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Amounts become strings, because JSON numbers lose digits. Names are in snake case, as in the API. */
function asPlain(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof Date) return value.toISOString();
  if (Buffer.isBuffer(value)) return value.toString('hex');
  if (Array.isArray(value)) return value.map(asPlain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [inSnakeCase(name), asPlain(part)]));
}

export function print({ json }: { json: boolean }, value: unknown, text: string): void {
  process.stdout.write(json ? `${JSON.stringify({ data: asPlain(value) })}\n` : text);
}

/** Without --json, failures go to standard error. */
export function printFailure({ json }: { json: boolean }, { code, message }: { code: string; message: string }): void {
  if (json) process.stdout.write(`${JSON.stringify({ error: { code, message } })}\n`);
  else process.stderr.write(`${message}\n`);
}

export function table(names: readonly string[], rows: readonly (readonly string[])[], empty: string): string {
  if (rows.length === 0) return `${empty}\n`;
  const all = [names, ...rows];
  const widths = names.map((_name, at) => Math.max(...all.map((row) => (row[at] ?? '').length)));
  const lines = all.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return `${lines.join('\n')}\n`;
}

/** For example "2026-11-15 09:05:07Z". */
export function shortInstant(at: Date | null): string {
  return at === null ? '-' : `${at.toISOString().slice(0, 19).replace('T', ' ')}Z`;
}

/** All six decimals, because reconciliation differences can be that small. */
export function exactUsdc(amount: bigint | null): string {
  return amount === null ? '-' : `${formatExactUsdc(amount)} USDC`;
}

/** With a plus sign where it is not negative, for changes and differences. */
export function signedUsdc(amount: bigint | null): string {
  return `${amount !== null && amount > 0n ? '+' : ''}${exactUsdc(amount)}`;
}

export function pounds(amount: bigint | null): string {
  return amount === null ? '-' : `${formatPounds(amount)} GBP`;
}

/** For example "1 entry", "2 entries", "2 days". */
export function counted(count: number, what: string): string {
  return `${count} ${count === 1 ? what : `${what}s`.replace(/([^aeiou])ys$/, '$1ies')}`;
}

/** Network fees are kept in millionths of a pound, so they have six decimals, like USDC. */
function formatAmount(currency: EntryRow['currency'], amount: bigint): string {
  switch (currency) {
    case 'USDC':
      return exactUsdc(amount);
    case 'GBP':
      return pounds(amount);
    case 'GBP millionths':
      return `${formatExactUsdc(amount)} GBP`;
  }
}

/** A ledger line as a debit (DR) or a credit (CR): the sign of an entry alone does not say where the money went. */
export function describeLine(account: string, amount: bigint, currency: EntryRow['currency'] = 'USDC'): string {
  const size = formatAmount(currency, amount < 0n ? -amount : amount);
  return `${account.padEnd(18)} ${size.padStart(20)} ${amount < 0n ? 'CR' : 'DR'}`;
}

/** A wallet is owed to its partner: a debit takes money out of it. */
export function describeEntry({ account, currency, amount, wallet_balance_after: after }: EntryRow): string {
  const value = BigInt(amount);
  const balance = after === null ? '' : `   wallet ${signedUsdc(-value)}, balance ${exactUsdc(BigInt(after))}`;
  return `        ${describeLine(account, value, currency)}${balance}`;
}
