import type { Line } from '../../ledger/index.ts';
import { arrayLiteral } from '../../platform/database/array-literal.ts';

/** A transfer of a payout's, before the database has posted it. */
export interface NewTransfer {
  id: string;
  reason: string;
  lines: readonly Line[];
}

interface Entry extends NewTransfer {
  line: Line;
  number: number;
}

function entriesOf(transfers: readonly NewTransfer[]): Entry[] {
  return transfers.flatMap((transfer) => transfer.lines.map((line, at) => ({ ...transfer, line, number: at + 1 })));
}

/** The entries' columns, as the database takes them. */
function columnsOf(entries: readonly Entry[]): unknown[] {
  return [
    arrayLiteral(entries.map(({ id }) => id)),
    arrayLiteral(entries.map(({ number }) => number)),
    arrayLiteral(entries.map(({ line }) => line.account)),
    arrayLiteral(entries.map(({ line }) => line.amount)),
    arrayLiteral(entries.map(({ line, reason }) => line.reason ?? reason)),
  ];
}

export function entryColumns(transfers: readonly NewTransfer[]): unknown[] {
  return columnsOf(entriesOf(transfers));
}

/**
 * The entries of many payouts in one: each says before all else whose it is, by the place of its payout, from 1, and
 * whether it is of that payout's first transfer.
 */
export function placedEntryColumns(transfersOfEach: readonly (readonly NewTransfer[])[]): unknown[] {
  const entries = transfersOfEach.map(entriesOf);
  return [
    arrayLiteral(entries.flatMap((own, at) => own.map(() => at + 1))),
    arrayLiteral(entries.flatMap((own) => own.map(({ id }) => id === own[0]?.id))),
    ...columnsOf(entries.flat()),
  ];
}
