import type { ArchiveStore } from '../../archive/index.ts';
import { listClosedDays } from '../../ledger/index.ts';
import type { Pool } from '../../platform/database/pool.ts';
import { inReadOnlyTransaction } from '../../platform/database/transaction.ts';
import { createLeftMonths } from './left-months.ts';
import { verifyClosedDay } from './verify-books.ts';

/** Holds every day of a month that is in the database against its causes, and against what it held when it was closed. */
export async function verifyMonth(reader: Pool, store: ArchiveStore, month: string): Promise<number> {
  const closed = await inReadOnlyTransaction(reader, 'shared', listClosedDays);
  const left = createLeftMonths(reader, store);
  let differences = 0;
  for (const day of closed.filter((one) => one.day.startsWith(month)))
    differences += (await verifyClosedDay(reader, day, left)).differences.length;
  return differences;
}
