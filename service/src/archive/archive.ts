import type { Clock } from '../platform/clock.ts';
import { instantOf } from '../platform/ids.ts';
import type { Logger } from '../platform/logging.ts';
import type { ArchiveStore } from './archive-store.ts';
import { dayKeyOf, dayOf, keyOf, type ArchivedLine, type LineKey } from './archived-line.ts';
import type { ArchivedMonth } from './month-file.ts';
import { createMonthReader, type LineOwner, type MonthReader } from './month-reader.ts';

/** What of a partner is looked at. `from` inclusive, `before` exclusive. */
interface PartnerRange extends LineOwner {
  from: string;
  before: string;
}

/**
 * Payouts and entries of months that have left the database. A line is only ever given to the partner and environment that it is
 * of.
 */
export interface Archive extends Pick<MonthReader, 'readEntries' | 'readNumbers' | 'findTransfer'> {
  /** Whether a payout is old enough to be there. For all others nothing is asked. */
  mayHold(payoutId: string): boolean;
  /**
   * Whether no month is there, as it was a moment ago. For who has read the database just before: none is dropped within the
   * ten seconds after its files are whole.
   */
  isEmpty(): Promise<boolean>;
  /** The months that are there now, the newest first. */
  months(): Promise<readonly ArchivedMonth[]>;
  find(month: ArchivedMonth, key: LineKey): Promise<ArchivedLine | null>;
  /** A day's lines of a partner, the newest first, and how many blocks were read for them. */
  readDay(
    month: ArchivedMonth,
    day: string,
    range: PartnerRange,
  ): Promise<{ lines: readonly ArchivedLine[]; blocks: number }>;
}

/** A month may leave the database 13 months after it ended, so nothing younger than this is there. */
const youngestMs = 365 * 24 * 3_600_000;
const knownEmptyMs = 3_000;

interface ArchiveDeps {
  /** Null where the process was not told where the files are. */
  store: ArchiveStore | null;
  listMonths: () => Promise<readonly ArchivedMonth[]>;
  clock: Clock;
  logger: Logger;
}

export function createArchive({ store, listMonths, clock, logger }: ArchiveDeps): Archive {
  const reader = createMonthReader({ store, listMonths, logger });
  let emptyAt = Number.NEGATIVE_INFINITY;
  return {
    mayHold: (payoutId) => instantOf(payoutId).getTime() < clock.now().getTime() - youngestMs,
    months: listMonths,
    async isEmpty() {
      if (performance.now() - emptyAt < knownEmptyMs) return true;
      const askedAt = performance.now();
      const isEmpty = (await listMonths()).length === 0;
      if (isEmpty) emptyAt = askedAt;
      return isEmpty;
    },
    async find(month, key) {
      const place = keyOf(key);
      const { lines } = await reader.readPayouts(month, key, { from: place, to: place });
      return lines.find(({ id }) => id === key.id) ?? null;
    },
    async readDay(month, day, range) {
      const first = dayKeyOf(day, range);
      const { lines, blocks } = await reader.readPayouts(month, range, { from: first, to: `${first}~` });
      const ofDay = lines.filter(({ id }) => dayOf(id) === day && id >= range.from && id < range.before);
      return { lines: ofDay.toSorted((a, b) => (a.id < b.id ? 1 : -1)), blocks };
    },
    readEntries: reader.readEntries,
    readNumbers: reader.readNumbers,
    findTransfer: reader.findTransfer,
  };
}
