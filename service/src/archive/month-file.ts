import { createHash } from 'node:crypto';
import { zstdDecompressSync } from 'node:zlib';
import { ArchiveUnreadable, type ArchiveStore } from './archive-store.ts';
import { keyOf, parseLine } from './archived-line.ts';
import { fileNames, readManifest, sha256, type Block, type Manifest } from './manifest.ts';

/** A month in the archive, as the database knows it. */
export interface ArchivedMonth {
  /** As 2025-01. */
  month: string;
  name: string;
  manifestDigest: string;
}

/** A block is some hundred lines of 1 kB. More than this is not one of ours. */
const mostBlockBytes = 64 * 1024 * 1024;

/** Reads a month, and only what its digests prove. */
export interface MonthFile {
  manifest: Manifest;
  /** Its lines. */
  readBlock(block: Block): Promise<readonly string[]>;
}

export async function openMonthFile(store: ArchiveStore, { name, manifestDigest }: ArchivedMonth): Promise<MonthFile> {
  const files = fileNames(name);
  const manifest = readManifest(await store.readWhole(files.manifest), { name, expected: manifestDigest });
  return {
    manifest,
    async readBlock(block) {
      const bytes = await store.read(files.blocks, block);
      if (sha256(bytes) !== block.digest)
        throw new ArchiveUnreadable(`${files.blocks} is not what was written, at byte ${block.offset}`);
      const text = zstdDecompressSync(bytes, { maxOutputLength: mostBlockBytes }).toString();
      return text.split('\n', block.lines);
    },
  };
}

/** All of a month, block by block, in order. */
export async function* walkBlocks(file: MonthFile): AsyncGenerator<readonly string[]> {
  for (const block of file.manifest.blocks) yield file.readBlock(block);
}

/** The blocks that may hold keys from `from` to `to`, both inclusive, in order. */
export function blocksBetween({ blocks }: Manifest, from: string, to: string): readonly Block[] {
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

/** What the database makes of the same rows: kelpie.archived_rows_digest. Throws where a line is missing or out of place. */
export async function digestLines(file: MonthFile): Promise<{ payouts: number; digest: string }> {
  const whole = createHash('sha256');
  let payouts = 0;
  let before = '';
  for await (const lines of walkBlocks(file)) {
    for (const line of lines) {
      const key = keyOf(parseLine(line));
      if (key <= before) throw new ArchiveUnreadable('lines of the archive are out of order');
      before = key;
      whole.update(sha256(line));
    }
    payouts += lines.length;
  }
  if (payouts !== file.manifest.payouts) throw new ArchiveUnreadable('the archive has not as many payouts as it says');
  return { payouts, digest: whole.digest('hex') };
}
