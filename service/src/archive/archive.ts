import { ApiError } from '../platform/api-error.ts';
import type { Clock } from '../platform/clock.ts';
import { instantOf } from '../platform/ids.ts';
import type { Logger } from '../platform/logging.ts';
import { ArchiveUnreadable, type ArchiveStore } from './archive-store.ts';
import { dayOf, keyOf, parseLine, type ArchivedLine, type LineKey } from './archived-line.ts';
import type { Block } from './manifest.ts';
import { blocksBetween, openMonthFile, type ArchivedMonth, type MonthFile } from './month-file.ts';

/** What of a partner is looked at. `from` inclusive, `before` exclusive. */
interface PartnerRange extends Omit<LineKey, 'id'> {
  from: string;
  before: string;
}

/** Payouts of months that have left the database. A line is only ever given to the partner and environment that it is of. */
export interface Archive {
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
/** A manifest is about 1 MB for a million payouts, a block 300 kB. */
const mostManifests = 24;
const mostBlocks = 32;
const knownEmptyMs = 3_000;

/** The oldest make room. */
function createBounded<Value>(most: number, make: (key: string) => Promise<Value>): (key: string) => Promise<Value> {
  const held = new Map<string, Promise<Value>>();
  return async (key) => {
    const found = held.get(key) ?? make(key);
    held.delete(key);
    held.set(key, found);
    const [oldest] = held.keys();
    if (held.size > most && oldest !== undefined) held.delete(oldest);
    try {
      return await found;
    } catch (error) {
      // What cannot be read now may be there again in a moment.
      held.delete(key);
      throw error;
    }
  };
}

interface ArchiveDeps {
  /** Null where the process was not told where the files are. */
  store: ArchiveStore | null;
  listMonths: () => Promise<readonly ArchivedMonth[]>;
  clock: Clock;
  logger: Logger;
}

/** No answer is better than a wrong one. An operator is called: the file or the way to it needs mending. */
function unreadable(): ApiError {
  return new ApiError({
    code: 'unavailable',
    message: 'Payouts of that month are in our archive, which is unavailable. Retry later.',
    contactSupport: true,
    retryAfterSeconds: 60,
    internal: 'archive.unreadable',
  });
}

export function createArchive({ store, listMonths, clock, logger }: ArchiveDeps): Archive {
  const months = new Map<string, ArchivedMonth>();
  let emptyAt = Number.NEGATIVE_INFINITY;
  const open = createBounded(mostManifests, async (name: string): Promise<MonthFile> => {
    const month = months.get(name);
    if (store === null || month === undefined) throw new ArchiveUnreadable('KELPIE_ARCHIVE is not set');
    return openMonthFile(store, month);
  });
  const readBlock = createBounded(mostBlocks, async (place: string): Promise<readonly string[]> => {
    const [name = '', offset] = place.split(' ');
    const file = await open(name);
    const block = file.manifest.blocks.find((one) => one.offset === Number(offset));
    if (block === undefined) throw new Error('a block that is not in the manifest');
    return file.readBlock(block);
  });
  const orAlarm = async <Result>(month: ArchivedMonth, work: () => Promise<Result>): Promise<Result> => {
    months.set(month.name, month);
    try {
      return await work();
    } catch (error) {
      logger.error({ error, month: month.month }, 'archive.unreadable');
      throw unreadable();
    }
  };
  /** Those of one partner among the lines of some blocks. */
  const readLines = async (
    { name }: ArchivedMonth,
    blocks: readonly Block[],
    of: Omit<LineKey, 'id'>,
  ): Promise<ArchivedLine[]> => {
    const lines: ArchivedLine[] = [];
    for (const { offset } of blocks) {
      const texts = await readBlock(`${name} ${offset}`);
      const parsed = texts.filter((text) => text.includes(of.partnerId)).map(parseLine);
      lines.push(...parsed.filter((line) => line.partnerId === of.partnerId && line.environment === of.environment));
    }
    return lines;
  };
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
    find: async (month, key) =>
      orAlarm(month, async () => {
        const { manifest } = await open(month.name);
        const place = keyOf(key);
        const lines = await readLines(month, blocksBetween(manifest, place, place), key);
        return lines.find(({ id }) => id === key.id) ?? null;
      }),
    readDay: async (month, day, range) =>
      orAlarm(month, async () => {
        const { manifest } = await open(month.name);
        const first = `${day}/${range.partnerId}/${range.environment}/`;
        const blocks = blocksBetween(manifest, first, `${first}~`);
        const lines = await readLines(month, blocks, range);
        const ofDay = lines.filter(({ id }) => dayOf(id) === day && id >= range.from && id < range.before);
        return { lines: ofDay.toSorted((a, b) => (a.id < b.id ? 1 : -1)), blocks: blocks.length };
      }),
  };
}
