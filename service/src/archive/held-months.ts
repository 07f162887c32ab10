import { ArchiveUnreadable, type ArchiveStore } from './archive-store.ts';
import type { Block } from './manifest.ts';
import { openMonthFile, type ArchivedMonth, type MonthFile } from './month-file.ts';

/** A manifest is about 1 MB for a million payouts, a block 300 kB. */
const mostManifests = 24;
const mostBlocks = 32;

/** What was made last, by its key. The oldest make room. */
export function createBounded<Value>(most: number): (key: string, make: () => Promise<Value>) => Promise<Value> {
  const held = new Map<string, Promise<Value>>();
  return async (key, make) => {
    const found = held.get(key) ?? make();
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

/** The files themselves, as far as they are in memory. */
export interface HeldMonths {
  open(month: ArchivedMonth): Promise<MonthFile>;
  readBlock(month: ArchivedMonth, kind: keyof MonthFile, block: Block): Promise<readonly string[]>;
}

export function holdMonths(store: ArchiveStore | null): HeldMonths {
  const files = createBounded<MonthFile>(mostManifests);
  const blocks = createBounded<readonly string[]>(mostBlocks);
  const open = async (month: ArchivedMonth): Promise<MonthFile> =>
    files(month.name, async () => {
      if (store === null) throw new ArchiveUnreadable('KELPIE_ARCHIVE is not set');
      return openMonthFile(store, month);
    });
  return {
    open,
    readBlock: async (month, kind, block) =>
      blocks(`${month.name} ${kind} ${block.offset}`, async () => (await open(month))[kind].readBlock(block)),
  };
}
