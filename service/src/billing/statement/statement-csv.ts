import { formatExactUsdc } from '../../money/amounts.ts';
import { csvLine, csvNumber } from '../../platform/csv.ts';
import { instantOf } from '../../platform/ids.ts';
import { movementKind } from './movement-kinds.ts';
import type { Statement } from './statement.ts';
import type { MovementRow } from './store.ts';

const columns = ['number', 'date', 'at', 'kind', 'payout_id', 'deposit_id', 'reference', 'amount', 'balance'];

/** As in "2026-04-01 00:30:00": what a spreadsheet takes for a time. */
const inLondon = new Intl.DateTimeFormat('sv-SE', {
  timeZone: 'Europe/London',
  dateStyle: 'short',
  timeStyle: 'medium',
});

function instantCells(instant: Date): string[] {
  return [inLondon.format(instant), instant.toISOString()];
}

function movementLine(movement: MovementRow): string {
  return csvLine([
    csvNumber(movement.number.toString()),
    ...instantCells(instantOf(movement.transferId)),
    movementKind(movement.reason),
    movement.payoutId ?? '',
    movement.depositId ?? '',
    movement.reference ?? '',
    csvNumber(formatExactUsdc(movement.change)),
    csvNumber(formatExactUsdc(movement.balance)),
  ]);
}

function balanceLine(kind: string, at: Date, balance: bigint): string {
  return csvLine(['', ...instantCells(at), kind, '', '', '', '', csvNumber(formatExactUsdc(balance))]);
}

/** The statement as a file. Its last line is the closing balance, as of now: without it, the file is not whole. */
export async function* writeStatement(
  { beganAt, endedAt, opening, closing }: Statement,
  pages: AsyncIterable<readonly MovementRow[]>,
  now: Date,
): AsyncGenerator<string> {
  let lines = csvLine(columns) + balanceLine('opening_balance', beganAt, opening);
  for await (const page of pages) {
    yield lines + page.map(movementLine).join('');
    lines = '';
  }
  yield lines + balanceLine('closing_balance', now < endedAt ? now : endedAt, closing);
}
