import type { Line } from '../../ledger/index.ts';

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
    entries.map(({ id }) => id),
    entries.map(({ number }) => number),
    entries.map(({ line }) => line.account),
    entries.map(({ line }) => line.amount),
    entries.map(({ reason }) => reason),
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
    entries.flatMap((own, at) => own.map(() => at + 1)),
    entries.flatMap((own) => own.map(({ id }) => id === own[0]?.id)),
    ...columnsOf(entries.flat()),
  ];
}
