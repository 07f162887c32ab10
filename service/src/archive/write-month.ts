import { zstdCompressSync } from 'node:zlib';
import type { ArchiveStore } from './archive-store.ts';
import { fileNames, sha256, writeManifest, type Block, type Manifest, type Part } from './manifest.ts';
import { keyOfEntryLine, keyOfPayoutLine, type MonthPart } from './month-file.ts';

/** Few enough that one payout is read in a moment, and as many as compress well. Entries are short, and read by the page. */
const linesPerBlock = { payouts: 300, entries: 2_000 };

export interface WrittenMonth {
  manifest: Manifest;
  manifestDigest: string;
}

type Lines = AsyncIterable<readonly string[]>;

/** Writes the lines of a month, which come in the order of their keys, and then what is in which block. */
export async function writeMonth(
  store: ArchiveStore,
  { month, name }: { month: string; name: string },
  { payouts, entries }: { payouts: Lines; entries: Lines },
): Promise<WrittenMonth> {
  const files = fileNames(name);
  const manifest: Manifest = {
    version: 2,
    month,
    payouts: await writePart(store, files.payouts, payouts, { keyOf: keyOfPayoutLine, atOnce: linesPerBlock.payouts }),
    entries: await writePart(store, files.entries, entries, { keyOf: keyOfEntryLine, atOnce: linesPerBlock.entries }),
  };
  const bytes = writeManifest(manifest);
  await store.write(
    files.manifest,
    (async function* () {
      yield bytes;
    })(),
  );
  return { manifest, manifestDigest: sha256(bytes) };
}

interface Packing extends Pick<MonthPart, 'keyOf'> {
  atOnce: number;
}

async function writePart(store: ArchiveStore, file: string, lines: Lines, { keyOf, atOnce }: Packing): Promise<Part> {
  const part: Part = { lines: 0, bytes: 0, blocks: [] };
  const pack = (texts: readonly string[]): Buffer => {
    const bytes = zstdCompressSync(texts.map((text) => `${text}\n`).join(''));
    part.blocks.push(describeBlock(part, texts.map(keyOf), bytes));
    part.lines += texts.length;
    part.bytes += bytes.length;
    return bytes;
  };
  async function* blocks(): AsyncGenerator<Buffer> {
    let held: string[] = [];
    for await (const some of lines) {
      held.push(...some);
      for (; held.length >= atOnce; held = held.slice(atOnce)) yield pack(held.slice(0, atOnce));
    }
    if (held.length > 0) yield pack(held);
  }
  await store.write(file, blocks());
  return part;
}

function describeBlock({ bytes: offset, blocks }: Part, keys: readonly string[], bytes: Buffer): Block {
  const [first, last] = [keys.at(0), keys.at(-1)];
  if (first === undefined || last === undefined) throw new Error('a block without lines');
  const before = [blocks.at(-1)?.last ?? '', ...keys];
  if (keys.some((key, at) => key <= (before[at] ?? ''))) throw new Error('lines of the archive out of order');
  return { first, last, lines: keys.length, offset, length: bytes.length, digest: sha256(bytes) };
}
