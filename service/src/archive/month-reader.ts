import { ApiError } from '../platform/api-error.ts';
import { instantOf, nilId } from '../platform/ids.ts';
import type { Logger } from '../platform/logging.ts';
import { ArchiveUnreadable, type ArchiveStore } from './archive-store.ts';
import {
  dayKeyOf,
  dayOf,
  daysOfMonth,
  keyOfEntry,
  parseEntry,
  parseLine,
  placeOf,
  type ArchivedEntry,
  type ArchivedLine,
  type LineKey,
} from './archived-line.ts';
import type { Block } from './manifest.ts';
import { createBounded, holdMonths, type HeldMonths } from './held-months.ts';
import { blocksBetween, type ArchivedMonth } from './month-file.ts';

export type LineOwner = Omit<LineKey, 'id'>;

/** Entries of a partner and day, from one place to another, both inclusive (placeOf). */
interface EntryRange extends LineOwner {
  day: string;
  from: string;
  to: string;
}

interface DayNumbers {
  day: string;
  lowest: number;
  highest: number;
}

/** Reads lines of months, and keeps what it read last. What cannot be read is an alarm, and the answer 503. */
export interface MonthReader {
  /** The lowest and the highest number of a wallet's movements on each day that has one, in order. */
  readNumbers: (month: ArchivedMonth, of: LineOwner) => Promise<readonly DayNumbers[]>;
  /** A partner's payouts among the lines from one key to another, and how many blocks were read for them. */
  readPayouts(
    month: ArchivedMonth,
    of: LineOwner,
    keys: { from: string; to: string },
  ): Promise<{ lines: ArchivedLine[]; blocks: number }>;
  /** Entries of a partner's day in the order of their places, some at a time. */
  readEntries: (month: ArchivedMonth, range: EntryRange) => AsyncIterable<readonly ArchivedEntry[]>;
  /** The entries of a transfer of a partner. */
  findTransfer: (month: ArchivedMonth, of: LineOwner, transferId: string) => Promise<readonly ArchivedEntry[]>;
}

/** Of wallets: a page of a statement reads the days that it needs. */
const mostNumbers = 500;

/** No answer is better than a wrong one. An operator is called: the file or the way to it needs mending. */
function unreadable(): ApiError {
  return new ApiError({
    code: 'unavailable',
    message: 'That month is in our archive, which is unavailable. Retry later.',
    contactSupport: true,
    retryAfterSeconds: 60,
    internal: 'archive.unreadable',
  });
}

/** While months come and go faster than one is read. */
export function archiveMoving(): ApiError {
  return new ApiError({
    code: 'unavailable',
    message: 'That month is moving to or from our archive. Retry in a second.',
    retryAfterSeconds: 1,
  });
}

/** Behind the entries of a day that move no wallet: from the first number on. */
const ofWallets = { from: placeOf({ number: 1, transferId: nilId, line: 0 }), to: '~' };

/** Numbers follow time, except among near neighbours. */
const nearMs = 60_000;

/** Whether a block of a partner's day, by its ends, may have the movement of a wallet by a transfer. */
function mayHoldMovement({ first, last }: Block, dayKey: string, transferId: string): boolean {
  const at = instantOf(transferId).getTime();
  const instantIn = (key: string): number | null => {
    const [number = '', transfer = ''] = key.startsWith(dayKey) ? key.slice(dayKey.length).split('/') : [];
    return Number(number) > 0 ? instantOf(transfer).getTime() : null;
  };
  const [from, to] = [instantIn(first), instantIn(last)];
  return (from === null || from <= at + nearMs) && (to === null || to >= at - nearMs);
}

async function readNumbersOfDay(
  held: HeldMonths,
  month: ArchivedMonth,
  { day, ...of }: LineOwner & { day: string },
): Promise<DayNumbers[]> {
  const dayKey = dayKeyOf(day, of);
  const { entries: part } = await held.open(month);
  const blocks = blocksBetween(part, dayKey + ofWallets.from, dayKey + ofWallets.to);
  // Numbers rise from block to block.
  const ends = new Set([...blocks.slice(0, 1), ...blocks.slice(-1)]);
  const found: number[] = [];
  for (const block of ends) {
    const texts = await held.readBlock(month, 'entries', block);
    const entries = texts.filter((text) => text.includes(of.partnerId)).map(parseEntry);
    const movements = entries.filter((entry) => entry.number > 0 && keyOfEntry(entry).startsWith(dayKey));
    found.push(...movements.map(({ number }) => number));
  }
  return found.length === 0 ? [] : [{ day, lowest: Math.min(...found), highest: Math.max(...found) }];
}

interface ReaderDeps {
  store: ArchiveStore | null;
  listMonths: () => Promise<readonly ArchivedMonth[]>;
  logger: Logger;
}

export function createMonthReader({ store, listMonths, logger }: ReaderDeps): MonthReader {
  const held = holdMonths(store);
  const orAlarm = async <Result>({ month, name }: ArchivedMonth, work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work();
    } catch (error) {
      // Its files are removed once it is back.
      if (!(await listMonths()).some((one) => one.name === name)) throw archiveMoving();
      logger.error({ error, month }, 'archive.unreadable');
      throw unreadable();
    }
  };
  async function* readEntries(
    month: ArchivedMonth,
    { day, from, to, ...of }: EntryRange,
    movementOf?: string,
  ): AsyncGenerator<ArchivedEntry[]> {
    const dayKey = dayKeyOf(day, of);
    const blocks = await orAlarm(month, async () =>
      blocksBetween((await held.open(month)).entries, dayKey + from, dayKey + to),
    );
    for (const block of blocks) {
      if (movementOf !== undefined && !mayHoldMovement(block, dayKey, movementOf)) continue;
      yield orAlarm(month, async () => {
        const texts = await held.readBlock(month, 'entries', block);
        const entries = texts.filter((text) => text.includes(of.partnerId)).map(parseEntry);
        return entries.filter((entry) => isBetween(keyOfEntry(entry), dayKey + from, dayKey + to));
      });
    }
  }
  const numbers = createBounded<readonly DayNumbers[]>(mostNumbers);
  return {
    readPayouts: async (month, of, { from, to }) =>
      orAlarm(month, async () => {
        const blocks = blocksBetween((await held.open(month)).payouts, from, to);
        const lines: ArchivedLine[] = [];
        for (const block of blocks) {
          const texts = await held.readBlock(month, 'payouts', block);
          const parsed = texts.filter((text) => text.includes(of.partnerId)).map(parseLine);
          lines.push(...parsed.filter((line) => isOf(line, of)));
        }
        return { lines, blocks: blocks.length };
      }),
    readEntries,
    async findTransfer(month, { partnerId, environment }, transferId) {
      const day = { partnerId, environment, day: dayOf(transferId) };
      const others = { number: 0, transferId };
      const range = { from: placeOf({ ...others, line: 0 }), to: placeOf({ ...others, line: 99 }) };
      const found: ArchivedEntry[] = [];
      for await (const entries of readEntries(month, { ...day, ...range })) found.push(...entries);
      // By its number, which is not known, and so by its instant.
      for await (const entries of readEntries(month, { ...day, ...ofWallets }, transferId))
        found.push(...entries.filter((entry) => entry.transferId === transferId));
      return orAlarm(month, async () => wholeTransfer(found));
    },
    readNumbers: async (month, { partnerId, environment }) =>
      orAlarm(month, async () =>
        numbers(`${month.name} ${partnerId} ${environment}`, async () => {
          const days: DayNumbers[] = [];
          for (const day of daysOfMonth(month.month))
            days.push(...(await readNumbersOfDay(held, month, { partnerId, environment, day })));
          return days;
        }),
      ),
  };
}

/** A transfer leaves whole: its lines are numbered from one. */
function wholeTransfer(found: readonly ArchivedEntry[]): readonly ArchivedEntry[] {
  const lines = found.map(({ line }) => line).toSorted((a, b) => a - b);
  if (lines.some((line, at) => line !== at + 1)) throw new ArchiveUnreadable('a transfer is not whole');
  return found;
}

function isOf(line: LineOwner, { partnerId, environment }: LineOwner): boolean {
  return line.partnerId === partnerId && line.environment === environment;
}

function isBetween(key: string, from: string, to: string): boolean {
  return key >= from && key <= to;
}
