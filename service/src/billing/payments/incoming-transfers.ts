import { parsePounds, type Pence } from '../../money/amounts.ts';
import { parseCsv } from '../../platform/csv-reader.ts';
import type { Day } from '../../platform/london-day.ts';
import { OperatorError } from '../../platform/operator-error.ts';

/** A line of the bank's list of transfers to our account. */
export interface IncomingTransfer {
  /** In the file; its header is the first. */
  line: number;
  receivedOn: Day;
  amount: Pence;
  /** What the payer wrote. */
  reference: string;
  /** The bank's own id. */
  bankReference: string;
}

const header = ['date', 'amount', 'reference', 'transfer_id'];
/** More than arrive in a month. */
const mostLines = 10_000;

function wrong(line: number, why: string): OperatorError {
  return new OperatorError(`Line ${line} of the file ${why}. Nothing was recorded.`, 'file_wrong');
}

const dayForm = /^\d{4}-\d{2}-\d{2}$/;

/** A day that is in the calendar, or undefined. */
export function parseDay(text: string): Day | undefined {
  const at = dayForm.test(text) ? new Date(`${text}T00:00:00Z`) : null;
  return at !== null && !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text) ? text : undefined;
}

export function isBankReference(text: string): boolean {
  return text.trim() !== '' && text.length <= 100;
}

function transferFrom(cells: readonly string[], line: number): IncomingTransfer {
  const [date = '', amountText = '', reference = '', bankReference = ''] = cells;
  if (cells.length !== header.length) throw wrong(line, `has ${cells.length} cells instead of ${header.length}`);
  const receivedOn = parseDay(date);
  if (receivedOn === undefined) throw wrong(line, 'has no date such as 2026-12-03');
  const amount = parsePounds(amountText);
  if (amount === undefined || amount === 0n) throw wrong(line, 'has no amount above zero such as 1234.56');
  if (!isBankReference(bankReference)) throw wrong(line, 'has no transfer_id of 1 to 100 characters');
  return { line, receivedOn, amount, reference, bankReference };
}

/** All of it, or nothing: a file that can't be read whole is refused before anything is recorded. */
export function readTransfers(text: string): IncomingTransfer[] {
  const rows = parseCsv(text);
  if (rows === undefined || rows[0]?.join(',') !== header.join(','))
    throw new OperatorError(
      `Use a CSV file whose first line is ${header.join(',')}. Nothing was recorded.`,
      'file_wrong',
    );
  if (rows.length > mostLines)
    throw new OperatorError(`Use at most ${mostLines} lines in one file. Nothing was recorded.`, 'file_wrong');
  return rows
    .map((cells, at) => ({ cells, line: at + 1 }))
    .filter(({ cells, line }) => line > 1 && cells.join('') !== '')
    .map(({ cells, line }) => transferFrom(cells, line));
}

/** Banks drop the hyphen or make it a space; people leave out the zeros. */
const numberForm = /(?<![a-z0-9])kp[- ]?0*(\d{1,12})(?!\d)/gi;

/** The invoice numbers that a payer named, each once. */
export function invoiceNumbersIn(reference: string): bigint[] {
  const numbers = [...reference.matchAll(numberForm)].map(([, digits = '0']) => BigInt(digits));
  return [...new Set(numbers)].filter((number) => number > 0n);
}
