import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Pool } from '../platform/database/pool.ts';
import { inParallel } from '../platform/in-parallel.ts';
import { deleteRows, readRows, readSnapshot, writeRows, type PartnerTable } from './cell-store.ts';
import type { CopyPosition, PartnerMove } from './move.ts';

export interface CopyInput {
  from: Pool;
  to: Pool;
  move: PartnerMove;
  tables: readonly PartnerTable[];
  /** After each page, while requests are not held. */
  onPage: (position: CopyPosition) => Promise<void>;
}

const rowsOfPage = 5_000;
/** Changes are few, and found by reading all there is: once. */
const changesOfPage = 20_000;
/** A pass that finds fewer changes than this is the last before the freeze: what is left takes well under a second. */
const fewRows = 2_000;
const mostPasses = 5;
const tablesAtOnce = 4;

/** In the freeze, tables are worked on side by side. */
export async function ofEach<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  await inParallel(Readable.from(items), tablesAtOnce, work);
}

async function copyTable(
  { from, to, move }: Pick<CopyInput, 'from' | 'to' | 'move'>,
  table: string,
  { since, after }: { since: string | null; after: string | null },
  onPage: (after: string | null) => Promise<void> = async () => undefined,
): Promise<number> {
  const atMost = since === null ? rowsOfPage : changesOfPage;
  let copied = 0;
  let last = after;
  for (;;) {
    const page = await readRows(from, table, move.partnerId, { since, after: last, atMost });
    if (page.rows !== null) await writeRows(to, table, move, page.rows);
    copied += page.count;
    last = page.lastKey;
    if (page.count < atMost) return copied;
    await onPage(last);
    await nextTurn();
  }
}

/**
 * Copies what grows, while the partner works on: first everything, then what has changed since, until that is little. It goes on
 * from the last page that an earlier mover has saved. Returns from where on the freeze has to look for changes.
 */
export async function copyWhileOpen(input: CopyInput): Promise<{ rows: number; position: CopyPosition }> {
  const { from, move, tables, onPage } = input;
  const growing = tables.filter(({ isIncremental }) => isIncremental);
  const begin = async (since: string | null): Promise<CopyPosition> => ({
    since,
    nextSince: await readSnapshot(from),
    table: 0,
    after: null,
  });
  let position = move.position ?? (await begin(null));
  let rows = 0;
  for (let passes = 1; ; passes += 1) {
    let changed = 0;
    for (const [place, { name }] of growing.entries()) {
      if (place < position.table) continue;
      const after = place === position.table ? position.after : null;
      const begun = position;
      changed += await copyTable(input, name, { since: position.since, after }, async (key) =>
        onPage({ ...begun, table: place, after: key }),
      );
    }
    rows += changed;
    const isLast = (position.since !== null && changed < fewRows) || passes === mostPasses;
    position = await begin(position.nextSince);
    if (isLast) {
      await onPage(position);
      return { rows, position };
    }
    await onPage(position);
  }
}

/** In the freeze: what has changed of the rest, and every other table anew. */
export async function copyTheRest(input: Pick<CopyInput, 'from' | 'to' | 'move' | 'tables'>): Promise<number> {
  const { to, move, tables } = input;
  const since = move.position?.since;
  if (since === undefined || since === null) throw new Error('nothing was copied before the freeze');
  let rows = 0;
  await ofEach(tables, async ({ name, isIncremental }) => {
    if (!isIncremental) await deleteRows(to, name, move);
    rows += await copyTable(input, name, { since: isIncremental ? since : null, after: null });
  });
  return rows;
}
