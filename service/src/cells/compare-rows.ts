import type { Pool } from '../platform/database/pool.ts';
import { digestByChange, digestByKeys, digestRows, type PartnerTable } from './cell-store.ts';
import { ofEach } from './copy-rows.ts';
import type { PartnerMove } from './move.ts';

interface CompareInput {
  from: Pool;
  to: Pool;
  move: PartnerMove;
  tables: readonly PartnerTable[];
}

function sinceOf({ position }: PartnerMove): string {
  const since = position?.since;
  if (since === undefined || since === null) throw new Error('nothing was copied before');
  return since;
}

/**
 * While the partner works on: rows that no transaction has changed since the last pass. They need no second look in the freeze. What
 * is changed later is another version, which counts as changed then; and in the new cell nobody writes but the mover, by the keys of
 * what has changed. Sentences; none if all are equal.
 */
export async function compareSettled({ from, to, move, tables }: CompareInput): Promise<string[]> {
  const { partnerId } = move;
  const since = sinceOf(move);
  const different: string[] = [];
  // One after the other: the cell has others to serve.
  for (const { name } of tables.filter(({ isIncremental }) => isIncremental)) {
    const here = await digestByChange(from, name, partnerId, { since, half: 'settled' });
    const there = await digestByKeys(to, name, partnerId, { changedKeys: here.changedKeys, half: 'settled' });
    if (here.said !== there.said) different.push(`${name}, settled: ${here.said} and ${there.said}`);
  }
  return different;
}

/** In the freeze: what has changed since then, how many rows there are in all, and every other table as a whole. */
export async function compareTheRest({ from, to, move, tables }: CompareInput): Promise<string[]> {
  const { partnerId } = move;
  const since = sinceOf(move);
  const different: string[] = [];
  const sayOf = async (name: string, isIncremental: boolean): Promise<[string, string]> => {
    if (!isIncremental) return Promise.all([digestRows(from, name, partnerId), digestRows(to, name, partnerId)]);
    const here = await digestByChange(from, name, partnerId, { since, half: 'changed' });
    const there = await digestByKeys(to, name, partnerId, { changedKeys: here.changedKeys, half: 'changed' });
    return [`${here.allRows}, changed: ${here.said}`, `${there.allRows}, changed: ${there.said}`];
  };
  await ofEach(tables, async ({ name, isIncremental }) => {
    const [here, there] = await sayOf(name, isIncremental);
    if (here !== there) different.push(`${name}: ${here} and ${there}`);
  });
  return different;
}
