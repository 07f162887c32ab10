import { createHash, type Hash } from 'node:crypto';
import { zstdDecompressSync } from 'node:zlib';
import { ArchiveUnreadable, type ArchiveStore } from './archive-store.ts';
import { keyOf, keyOfEntry, parseEntry, parseLine } from './archived-line.ts';
import { fileNames, readManifest, sha256, type Block, type Part } from './manifest.ts';

/** A month in the archive, as the database knows it. */
export interface ArchivedMonth {
  /** As 2025-01. */
  month: string;
  name: string;
  manifestDigest: string;
}

/** A block is some hundred lines of 1 kB. More than this is not one of ours. */
const mostBlockBytes = 64 * 1024 * 1024;

/** The payouts of a month, or its entries: only what the digests prove is read. */
export interface MonthPart extends Part {
  /** Its lines. */
  readBlock(block: Block): Promise<readonly string[]>;
  keyOf(line: string): string;
}

export interface MonthFile {
  payouts: MonthPart;
  entries: MonthPart;
}

export const keyOfPayoutLine = (line: string): string => keyOf(parseLine(line));
export const keyOfEntryLine = (line: string): string => keyOfEntry(parseEntry(line));

export async function openMonthFile(store: ArchiveStore, { name, manifestDigest }: ArchivedMonth): Promise<MonthFile> {
  const files = fileNames(name);
  const manifest = readManifest(await store.readWhole(files.manifest), { name, expected: manifestDigest });
  const open = (file: string, part: Part, keyOfLine: MonthPart['keyOf']): MonthPart => ({
    ...part,
    keyOf: keyOfLine,
    async readBlock(block) {
      const bytes = await store.read(file, block);
      if (sha256(bytes) !== block.digest)
        throw new ArchiveUnreadable(`${file} is not what was written, at byte ${block.offset}`);
      const text = zstdDecompressSync(bytes, { maxOutputLength: mostBlockBytes }).toString();
      return text.split('\n', block.lines);
    },
  });
  return {
    payouts: open(files.payouts, manifest.payouts, keyOfPayoutLine),
    entries: open(files.entries, manifest.entries, keyOfEntryLine),
  };
}

/** All of a part, block by block, in order. */
export async function* walkBlocks(part: MonthPart): AsyncGenerator<readonly string[]> {
  for (const block of part.blocks) yield part.readBlock(block);
}

/** The blocks that may hold keys from `from` to `to`, both inclusive, in order. */
export function blocksBetween({ blocks }: Pick<Part, 'blocks'>, from: string, to: string): readonly Block[] {
  let low = 0;
  let high = blocks.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((blocks[middle]?.last ?? '') < from) low = middle + 1;
    else high = middle;
  }
  let end = low;
  while (end < blocks.length && (blocks[end]?.first ?? '') <= to) end += 1;
  return blocks.slice(low, end);
}

/** Whose day a key is of: what stands before its third slash. */
const dayForm = /^[^/]*\/[^/]*\/[^/]*\//;

interface LinesDigest {
  lines: number;
  digest: string;
}

/**
 * What the database makes of the same rows (kelpie.archived_rows_digest, kelpie.entries_digest): a digest of those of each partner's
 * day, which are of the digests of its lines. Throws where a line is missing or out of place.
 */
export async function digestLines(part: MonthPart): Promise<LinesDigest> {
  const whole = createHash('sha256');
  let ofDay: Hash | null = null;
  let lines = 0;
  let before = '';
  let day = '';
  for await (const block of walkBlocks(part)) {
    for (const line of block) {
      const key = part.keyOf(line);
      if (key <= before) throw new ArchiveUnreadable('lines of the archive are out of order');
      before = key;
      const [dayOfLine = ''] = dayForm.exec(key) ?? [];
      if (dayOfLine !== day && ofDay !== null) whole.update(ofDay.digest('hex'));
      if (dayOfLine !== day || ofDay === null) ofDay = createHash('sha256');
      day = dayOfLine;
      ofDay.update(sha256(line));
    }
    lines += block.length;
  }
  if (ofDay !== null) whole.update(ofDay.digest('hex'));
  if (lines !== part.lines) throw new ArchiveUnreadable('the archive has not as many lines as it says');
  return { lines, digest: whole.digest('hex') };
}
