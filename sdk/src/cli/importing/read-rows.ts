// Reads a file of payouts, and finds everything that is wrong with it at once.
import { createHash } from 'node:crypto';
import { CsvError } from 'csv-parse';
import { parse } from 'csv-parse/sync';
import type { CreatePayoutRequest } from '../../index.ts';
import { listOf, valueOf } from '../../json.ts';
import { orderFrom } from '../order.ts';
import { cleaned, columns } from './columns.ts';

export interface PayoutRow {
  /** The line of the file on which it begins. The header is line 1. */
  line: number;
  key: string;
  pence: bigint;
  order: CreatePayoutRequest;
  /** Changes with the order. Says nothing about it to those who don't have it. */
  fingerprint: string;
}

export interface Fault {
  line: number;
  /** Null where it is about the whole line. */
  column: string | null;
  problem: string;
}

export interface ReadFile {
  rows: PayoutRow[];
  faults: Fault[];
}

/** What the account allows. */
export interface Amounts {
  leastPence: bigint;
  mostPence: bigint;
}

const mostRows = 50_000;

export function penceOf(amount: string): bigint {
  return BigInt(amount.replace('.', ''));
}

export function formatPence(pence: bigint): string {
  const text = pence.toString().padStart(3, '0');
  return `${text.slice(0, -2)}.${text.slice(-2)}`;
}

interface Line {
  line: number;
  cells: string[];
}

const quoting = new Set(['CSV_QUOTE_NOT_CLOSED', 'CSV_INVALID_CLOSING_QUOTE', 'INVALID_OPENING_QUOTE']);

function whyUnread(error: unknown): Fault {
  const line = error instanceof CsvError ? Number(valueOf(error, 'lines') ?? 1) : 1;
  const isQuoting = error instanceof CsvError && quoting.has(error.code);
  const problem = isQuoting
    ? 'a quotation mark is out of place. Put a text with quotation marks between quotation marks, and double those inside'
    : 'the file cannot be read from here on';
  return { line, column: null, problem };
}

const breaksIn = (text: string): number => text.match(/\r\n|\r|\n/g)?.length ?? 0;

/** The parser says where a record ends in the file. Its own count of lines is wrong after a quoted line break. */
function linesOf(text: string): Line[] {
  const bytes = Buffer.from(text);
  const records: unknown[] = parse(bytes, { bom: true, info: true, relax_column_count: true, skip_empty_lines: true });
  const lines: Line[] = [];
  let at = 0;
  let line = 1;
  for (const entry of records) {
    const end = Number(valueOf(valueOf(entry, 'info'), 'bytes'));
    const written = bytes.subarray(at, end).toString();
    const empty = /^[\r\n]*/.exec(written)?.[0] ?? '';
    line += breaksIn(empty);
    lines.push({ line, cells: listOf(entry, 'record').map(String) });
    line += breaksIn(written.slice(empty.length));
    at = end;
  }
  return lines;
}

function faultsOfHeader({ line, cells }: Line): Fault[] {
  const known = columns.map(({ name }) => name);
  if (cells.length === 1 && /[;\t]/.test(cells[0] ?? ''))
    return [{ line, column: null, problem: 'separate the columns by commas' }];
  const unknown = cells.filter((name) => !known.includes(name));
  const twice = cells.filter((name, at) => cells.indexOf(name) !== at);
  const missing = columns.filter(({ name, isRequired }) => isRequired && !cells.includes(name));
  return [
    ...unknown.map((name) => ({ line, column: name, problem: `is not a column. Use ${known.join(', ')}` })),
    ...twice.map((name) => ({ line, column: name, problem: 'is there twice' })),
    ...missing.map(({ name }) => ({ line, column: name, problem: 'is a required column, and is missing' })),
  ];
}

function faultsOfCells(line: number, value: (name: string) => string): Fault[] {
  return columns.flatMap(({ name, isRequired, problemOf }) => {
    const cell = value(name);
    if (cell === '') return isRequired ? [{ line, column: name, problem: 'is required' }] : [];
    const problem = problemOf(cell);
    return problem === undefined ? [] : [{ line, column: name, problem }];
  });
}

function faultsOfAmount(line: number, amount: string, { leastPence, mostPence }: Amounts): Fault[] {
  if (!/^[0-9]{1,12}\.[0-9]{2}$/.test(amount)) return [];
  const pence = penceOf(amount);
  if (pence >= leastPence && pence <= mostPence) return [];
  const problem = `must be from ${formatPence(leastPence)} to ${formatPence(mostPence)}`;
  return [{ line, column: 'amount_gbp', problem }];
}

/** Keyed by the row's own key: without it, an account number could be found by trying all. */
function fingerprintOf(key: string, order: CreatePayoutRequest): string {
  return createHash('sha256')
    .update(JSON.stringify([key, order]))
    .digest('hex')
    .slice(0, 32);
}

function readLines([header, ...lines]: readonly Line[], amounts: Amounts): ReadFile {
  if (header === undefined) return { rows: [], faults: [{ line: 1, column: null, problem: 'the file is empty' }] };
  const names = { ...header, cells: header.cells.map((name) => name.trim()) };
  const faults = faultsOfHeader(names);
  if (faults.length > 0) return { rows: [], faults };
  if (lines.length === 0) faults.push({ line: header.line, column: null, problem: 'no row follows the header' });
  if (lines.length > mostRows)
    faults.push({ line: header.line, column: null, problem: `there are more than ${mostRows} rows. Split the file` });
  const rows: PayoutRow[] = [];
  const lineOfKey = new Map<string, number>();
  for (const { line, cells } of lines.slice(0, mostRows)) {
    if (cells.length !== names.cells.length) {
      const problem = `has ${cells.length} columns, and the header has ${names.cells.length}`;
      faults.push({ line, column: null, problem });
      continue;
    }
    const value = (name: string): string => cleaned(name, cells[names.cells.indexOf(name)] ?? '');
    const key = value('idempotency_key');
    const found = [...faultsOfCells(line, value), ...faultsOfAmount(line, value('amount_gbp'), amounts)];
    const first = lineOfKey.get(key);
    if (first !== undefined)
      found.push({
        line,
        column: 'idempotency_key',
        problem: `is the same as on line ${first}. Each row needs its own`,
      });
    else if (key !== '') lineOfKey.set(key, line);
    faults.push(...found);
    if (found.length > 0) continue;
    const order = orderFrom(value);
    rows.push({ line, key, pence: penceOf(order.amount_gbp), order, fingerprint: fingerprintOf(key, order) });
  }
  return { rows, faults };
}

export function readRows(bytes: Uint8Array, amounts: Amounts): ReadFile {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return { rows: [], faults: [{ line: 1, column: null, problem: 'the file is not UTF-8. Save it as "CSV UTF-8"' }] };
  }
  try {
    return readLines(linesOf(text), amounts);
  } catch (error) {
    return { rows: [], faults: [whyUnread(error)] };
  }
}
