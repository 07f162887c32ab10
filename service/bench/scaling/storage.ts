import { readFileSync } from 'node:fs';
import path from 'node:path';
import { projectFolder } from '@kelpie/dev/project.ts';
import type { Assumptions } from './assumptions.ts';
import type { Figures } from './figures.ts';

/** How long the rows of a table are kept: for ever, for some months, or no longer than they are used. */
export type Kept = 'for ever' | number | 'while used';

/** The tables whose old months can leave the database for compressed files. */
const archivable = new Set(['payouts', 'payout_history', 'ledger_entries']);

function keptOf(text: string): Kept {
  if (text === 'for ever') return 'for ever';
  const months = /^(\d+) months$/.exec(text)?.[1];
  return months === undefined ? 'while used' : Number(months);
}

/** As docs/database.md lists it, which a test compares with the schema. */
export function readRetention(): Map<string, Kept> {
  const text = readFileSync(path.join(projectFolder, 'docs/database.md'), 'utf8');
  const section = /## Retention\n([^]*?)\n## |## Retention\n([^]*)$/.exec(text)?.[0] ?? '';
  const rows = section.matchAll(/^\| ([^|]+) \| (`[^|]+) \|/gm);
  const listed = Array.from(rows, ([, kept = '', tables = '']) =>
    Array.from(tables.matchAll(/`(\w+)`/g), ([, table = '']): [string, Kept] => [table, keptOf(kept)]),
  );
  return new Map(listed.flat());
}

/** Bytes of one payout, by how long they are kept. */
export function bytesByClass({ bytes }: Figures, retention: ReadonlyMap<string, Kept>): Map<Kept, number> {
  const sums = new Map<Kept, number>();
  for (const [table, size = 0] of Object.entries(bytes)) {
    const kept = retention.get(table) ?? 'while used';
    sums.set(kept, (sums.get(kept) ?? 0) + size);
  }
  return sums;
}

export interface Disk {
  /** In each node's database. */
  gigabytes: number;
  /** In the archive's files. */
  archived: number;
}

const monthsOfYear = 12;

/** After so many years at a steady rate, without an archive or with one. */
export function diskAfter(
  years: number,
  millionPayoutsOfYear: number,
  {
    figures,
    retention,
    assumed,
  }: { figures: Figures; retention: ReadonlyMap<string, Kept>; assumed: Assumptions | null },
): Disk {
  const disk = { gigabytes: 0, archived: 0 };
  const months = years * monthsOfYear;
  for (const [table, size = 0] of Object.entries(figures.bytes)) {
    const kept = retention.get(table) ?? 'while used';
    if (kept === 'while used') continue;
    const stored = kept === 'for ever' ? months : Math.min(months, kept);
    const inDatabase =
      assumed !== null && archivable.has(table) ? Math.min(stored, assumed.archiveAfterMonths) : stored;
    const gigabytesOfMonth = (size * millionPayoutsOfYear * 1e6) / monthsOfYear / 1e9;
    disk.gigabytes += inDatabase * gigabytesOfMonth;
    disk.archived += (stored - inDatabase) * gigabytesOfMonth * (assumed?.archiveRatio ?? 0);
  }
  return disk;
}
