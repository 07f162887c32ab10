import type { Archive } from './archive.ts';
import type { ArchivedMonth } from './month-file.ts';
import { archiveMoving } from './month-reader.ts';

/** A month leaves or returns while it is read: it is read again. */
const mostTries = 3;

/** Reads from the database and the months that are in the archive, once more where one left or returned meanwhile. */
export async function whileMonthsStay<Result>(
  archive: Archive,
  read: (months: readonly ArchivedMonth[]) => Promise<Result>,
): Promise<Result> {
  for (let tries = 1; tries <= mostTries; tries += 1) {
    const months = await archive.months();
    const result = await read(months);
    const after = await archive.months();
    if (after.map(({ name }) => name).join() === months.map(({ name }) => name).join()) return result;
  }
  throw archiveMoving();
}
