import type { Line } from '../../ledger/index.ts';
import {
  bigint,
  boolean,
  enumOf,
  integer,
  smallint,
  text,
  uuid,
  type Columns,
} from '../../platform/database/batch-call.ts';

/** A transfer of a payout, before the database has posted it. */
export interface NewTransfer {
  id: string;
  reason: string;
  lines: readonly Line[];
}

/** A line of a transfer of a payout, which is named by its place in the batch, from 1. */
interface PlacedEntry {
  place: number;
  /** Whether it belongs to the payout's first transfer. */
  isFirst: boolean;
  transfer: NewTransfer;
  line: Line;
  number: number;
}

export function placeEntries(transfersOfEach: readonly (readonly NewTransfer[])[]): PlacedEntry[] {
  return transfersOfEach.flatMap((transfers, at) =>
    transfers.flatMap((transfer, nth) =>
      transfer.lines.map((line, index) => ({
        place: at + 1,
        isFirst: nth === 0,
        transfer,
        line,
        number: index + 1,
      })),
    ),
  );
}

export const entryColumns = {
  entry_payouts: integer(({ place }) => place),
  entry_transfers: uuid(({ transfer }) => transfer.id),
  entry_lines: smallint(({ number }) => number),
  entry_accounts: enumOf<Line['account']>('ledger_account')(({ line }) => line.account),
  entry_amounts: bigint(({ line }) => line.amount),
  entry_reasons: text(({ line, transfer }) => line.reason ?? transfer.reason),
} satisfies Columns<PlacedEntry>;

export const firstColumns = {
  entry_firsts: boolean(({ isFirst }) => isFirst),
} satisfies Columns<PlacedEntry>;
