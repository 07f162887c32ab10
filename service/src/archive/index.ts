// Months of payouts that have left the database for files with digests. It owns the files, and what is read of them; what a
// payout means is the payouts' matter, and no line is given to another partner than its own.
export { createArchive, type Archive } from './archive.ts';
export { ArchiveUnreadable, type ArchiveStore } from './archive-store.ts';
export {
  daysOfMonth,
  keyOf,
  parseEntry,
  parseLine,
  placeOf,
  transfersOf,
  type ArchivedEntry,
  type ArchivedLine,
} from './archived-line.ts';
export { createDirectoryStore } from './directory-store.ts';
export { fileNames } from './manifest.ts';
export {
  blocksBetween,
  digestLines,
  openMonthFile,
  walkBlocks,
  type ArchivedMonth,
  type MonthFile,
  type MonthPart,
} from './month-file.ts';
export {
  beginArchive,
  beginReturn,
  digestKept,
  digestMovingMonth,
  dropArchived,
  findObstacle,
  finishArchive,
  finishReturn,
  listArchivedMonths,
  listMonthRecords,
  loadEntries,
  loadPayouts,
  prepareMonth,
  readEntryLines,
  readPayoutLines,
  stopArchive,
  type MonthRecord,
} from './store.ts';
export { whileMonthsStay } from './while-months-stay.ts';
export { writeMonth } from './write-month.ts';
