import { whileMonthsStay, type Archive } from '../../archive/index.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import type { PartnerContext } from '../../platform/database/transaction.ts';
import { firstIdAt } from '../../platform/ids.ts';
import type { ShownPayout } from '../model/payout.ts';
import { daysOf, stretchesOf, type Stretch } from '../records/archived-payouts.ts';
import { searchArchivedPayouts, searchShownPayouts, type PayoutSearch } from '../records/payout-store.ts';

interface Deps {
  calls: SingleCalls;
  archive: Archive;
}

interface Asked {
  search: PayoutSearch;
  wanted: number;
  /** How many payouts one request looks at. */
  maxScanned: number;
}

interface Found {
  payouts: ShownPayout[];
  /** Where it stopped, where there may be more. */
  endedAt: string | null;
}

/** And how many blocks of files: a partner that pays seldom has one for each day. */
const mostBlocks = 200;

/** What of the request is left. */
interface Budget {
  wanted: number;
  scanned: number;
  blocks: number;
}

/** The same of a range that reaches into months that have left the database. Null where none has. */
export async function listWithArchive(deps: Deps, of: PartnerContext, asked: Asked): Promise<Found | null> {
  if (await deps.archive.isEmpty()) return null;
  return whileMonthsStay(deps.archive, async (months) =>
    months.length === 0
      ? null
      : readStretches(
          deps,
          of,
          asked,
          stretchesOf(months, { from: asked.search.fromId, before: asked.search.beforeId }),
        ),
  );
}

async function readStretches(
  deps: Deps,
  of: PartnerContext,
  { search, wanted, maxScanned }: Asked,
  stretches: readonly Stretch[],
): Promise<Found> {
  const payouts: ShownPayout[] = [];
  const left: Budget = { wanted, scanned: maxScanned, blocks: mostBlocks };
  for (const stretch of stretches) {
    const { endedAt, ...found } =
      stretch.month === null
        ? await searchHere(deps.calls, of, search, { stretch, left })
        : await searchThere(deps, of, search, { stretch, left });
    payouts.push(...found.payouts);
    left.wanted -= found.payouts.length;
    if (endedAt !== null || left.wanted <= 0) return { payouts, endedAt };
  }
  return { payouts, endedAt: null };
}

interface Reading {
  stretch: Stretch;
  left: Budget;
}

async function searchHere(
  calls: SingleCalls,
  of: PartnerContext,
  search: PayoutSearch,
  { stretch: { from, before }, left }: Reading,
): Promise<Found> {
  const range = { ...search, fromId: from, beforeId: before };
  return searchShownPayouts(calls, of, range, { limit: left.wanted, maxScanned: left.scanned });
}

/** Day by day. It ends at the beginning of a day where it may look no further. */
async function searchThere(
  { calls, archive }: Deps,
  { partnerId, environment }: PartnerContext,
  search: PayoutSearch,
  { stretch, left }: Reading,
): Promise<Found> {
  const payouts: ShownPayout[] = [];
  const { month, from, before } = stretch;
  if (month === null) throw new Error('a part of a list that is not in the archive');
  for (const day of daysOf(stretch)) {
    const read = await archive.readDay(month, day, { partnerId, environment, from, before });
    left.blocks -= read.blocks;
    left.scanned -= read.lines.length;
    const room = left.wanted - payouts.length;
    if (read.lines.length > 0)
      payouts.push(
        ...(await searchArchivedPayouts(calls, { partnerId, environment }, search, read.lines)).slice(0, room),
      );
    if (payouts.length >= left.wanted) return { payouts, endedAt: null };
    const dayBegins = firstIdAt(new Date(day));
    if ((left.blocks <= 0 || left.scanned <= 0) && dayBegins > from) return { payouts, endedAt: dayBegins };
  }
  return { payouts, endedAt: null };
}
