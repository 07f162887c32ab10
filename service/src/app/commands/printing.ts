// How commands print: a table or sentences for people, JSON for programs. A program finds one document on standard output,
// always: `{"data": …}` where it worked, `{"error": {"code", "message"}}` where it did not.
import type { EntryRow } from '../../ledger/index.ts';
import { formatExactUsdc, formatPounds } from '../../money/amounts.ts';

function inSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Amounts are texts, since JSON has no whole numbers that are large enough; names are written as those of the API are. */
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

/** For people it goes to standard error. */
export function printFailure({ json }: { json: boolean }, { code, message }: { code: string; message: string }): void {
  if (json) process.stdout.write(`${JSON.stringify({ error: { code, message } })}\n`);
  else process.stderr.write(`${message}\n`);
}

/** Columns under their names, each as wide as its widest cell. */
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

/** As in "2026-11-15 09:05:07". */
export function shortInstant(at: Date | null): string {
  return at === null ? '-' : at.toISOString().slice(0, 19).replace('T', ' ');
}

/** All six decimals: an operator looks for what is off by one of them. */
export function exactUsdc(amount: bigint | null): string {
  return amount === null ? '-' : formatExactUsdc(amount);
}

export function pounds(amount: bigint | null): string {
  return amount === null ? '-' : `${formatPounds(amount)} GBP`;
}

/** As in "1 row", "2 rows". */
export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

/** Network fees are kept in millionths of a pound: they are shown to the last digit, as USDC are. */
function amountOf({ currency, amount }: EntryRow): string {
  const value = BigInt(amount);
  if (currency !== 'GBP') return exactUsdc(value);
  return `${value < 0n ? '-' : ''}${formatPounds(value < 0n ? -value : value)}`;
}

/** One line of the ledger, under what it belongs to. */
export function describeEntry(entry: EntryRow): string {
  const { account, currency, wallet_balance_after: after } = entry;
  const amount = `${amountOf(entry)} ${currency === 'USDC' ? 'USDC' : 'GBP'}`;
  const balance = after === null ? '' : `   the wallet then holds ${exactUsdc(BigInt(after))}`;
  return `        ${account.padEnd(18)} ${amount.padStart(20)}${balance}`;
}
