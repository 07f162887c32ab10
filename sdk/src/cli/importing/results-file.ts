// What became of each row, as CSV. A line is appended when a row is done, and the file is put in order at the end of a run.
import { closeSync, existsSync, openSync, readFileSync, writeSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { CommandError } from '../command-error.ts';
import { writePrivately } from '../settings.ts';

export interface RowResult {
  /** The line of the file of payouts. */
  row: number;
  key: string;
  /** Empty for a row without a payout. */
  payoutId: string;
  /** Of the payout; `refused` or `not_sent` without one. */
  status: string;
  error: string;
  fingerprint: string;
}

export interface ResultsFile {
  /** The latest result of each key, from earlier runs. */
  readonly known: ReadonlyMap<string, RowResult>;
  append(result: RowResult): void;
  /** One line per row, in the order of the rows, in place of what was appended. */
  finish(results: readonly RowResult[]): void;
  /** Where a run ends without its results in order. */
  close(): void;
}

const names = ['row', 'idempotency_key', 'payout_id', 'status', 'error', 'fingerprint'];

/** A spreadsheet runs a cell that begins like a formula; an apostrophe before it makes it a text, as OWASP recommends. */
const formulaStart = /^'*(?:[\t\r\n]|[\s\p{Cf}\p{Cc}]*[=+\-@＝＋－＠])/u;

function written(cell: string): string {
  const defused = formulaStart.test(cell) ? `'${cell}` : cell;
  return defused !== cell || /[",\r\n]|^\s|\s$/.test(cell) ? `"${defused.replaceAll('"', '""')}"` : defused;
}

function csvLine(cells: readonly string[]): string {
  return `${cells.map(written).join(',')}\r\n`;
}

const lineOf = ({ row, key, payoutId, status, error, fingerprint }: RowResult): string =>
  csvLine([String(row), key, payoutId, status, error, fingerprint]);

const undefused = (cell: string): string => (formulaStart.test(cell) ? cell.replace(/^'/, '') : cell);

function cellsOf(line: string): string[] {
  try {
    const [cells]: string[][] = parse(line, { relax_column_count: true });
    return cells?.map(undefused) ?? [];
  } catch {
    return [];
  }
}

/** A line that was cut off by a kill or a power cut is no result: its row is sent again, under its own key. */
function resultOf(line: string): RowResult | undefined {
  const cells = cellsOf(line);
  if (cells.length !== names.length) return undefined;
  const [row = '', key = '', payoutId = '', status = '', error = '', fingerprint = ''] = cells;
  const isWhole = /^\d+$/.test(row) && /^[0-9a-f]{32}$/.test(fingerprint);
  return isWhole ? { row: Number(row), key, payoutId, status, error, fingerprint } : undefined;
}

function readKnown(file: string): Map<string, RowResult> {
  if (!existsSync(file)) return new Map();
  const [header = '', ...lines] = readFileSync(file, 'utf8').split('\r\n');
  const isCutOff = lines.length === 0 && csvLine(names).startsWith(header);
  if (`${header}\r\n` !== csvLine(names) && !isCutOff) {
    const message = `${file} is there already and is no result file of this command. Name another with --results.`;
    throw new CommandError('data', 'results_taken', message);
  }
  // The last piece has no line end: it is empty, or cut off.
  const results = lines.slice(0, -1).map(resultOf);
  return new Map(results.flatMap((result) => (result === undefined ? [] : [[result.key, result]])));
}

/**
 * Texts of errors hold no line breaks, so a line is a result. What is appended is not forced to the disk: after a power cut,
 * rows without a line are sent again, and their keys keep them from being paid twice.
 */
export function openResults(file: string): ResultsFile {
  const known = readKnown(file);
  // What is kept is whole: appending to half a line would spoil the next.
  writePrivately(file, [csvLine(names), ...[...known.values()].map(lineOf)].join(''));
  const descriptor = openSync(file, 'a', 0o600);
  return {
    known,
    append: (result) => void writeSync(descriptor, lineOf(result)),
    finish(results) {
      closeSync(descriptor);
      writePrivately(file, [csvLine(names), ...results.map(lineOf)].join(''));
    },
    close: () => closeSync(descriptor),
  };
}
