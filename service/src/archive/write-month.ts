import { zstdCompressSync } from 'node:zlib';
import type { ArchiveStore } from './archive-store.ts';
import { keyOf, parseLine, type ArchivedLine } from './archived-line.ts';

import { fileNames, sha256, writeManifest, type Block, type Manifest } from './manifest.ts';

/** Few enough that one payout is read in a moment, and as many as compress well. */
const linesPerBlock = 300;

export interface WrittenMonth {
  manifest: Manifest;
  manifestDigest: string;
}

/** Writes the lines of a month, which come in the order of their keys, and then what is in which block. */
export async function writeMonth(
  store: ArchiveStore,
  { month, name }: { month: string; name: string },
  lines: AsyncIterable<readonly string[]>,
): Promise<WrittenMonth> {
  const manifest: Manifest = { version: 1, month, payouts: 0, changes: 0, bytes: 0, blocks: [] };
  const pack = (texts: readonly string[]): Buffer => {
    const parsed = texts.map(parseLine);
    const bytes = zstdCompressSync(texts.map((text) => `${text}\n`).join(''));
    manifest.blocks.push(describeBlock(manifest, parsed, bytes));
    manifest.payouts += parsed.length;
    manifest.changes += parsed.reduce((sum, { changes }) => sum + changes, 0);
    manifest.bytes += bytes.length;
    return bytes;
  };
  async function* blocks(): AsyncGenerator<Buffer> {
    let held: string[] = [];
    for await (const some of lines) {
      held.push(...some);
      for (; held.length >= linesPerBlock; held = held.slice(linesPerBlock)) yield pack(held.slice(0, linesPerBlock));
    }
    if (held.length > 0) yield pack(held);
  }
  const files = fileNames(name);
  await store.write(files.blocks, blocks());
  const bytes = writeManifest(manifest);
  await store.write(
    files.manifest,
    (async function* () {
      yield bytes;
    })(),
  );
  return { manifest, manifestDigest: sha256(bytes) };
}

function describeBlock({ bytes: offset, blocks }: Manifest, lines: readonly ArchivedLine[], bytes: Buffer): Block {
  const keys = lines.map(keyOf);
  const [first, last] = [keys.at(0), keys.at(-1)];
  if (first === undefined || last === undefined) throw new Error('a block without lines');
  const before = [blocks.at(-1)?.last ?? '', ...keys];
  if (keys.some((key, at) => key <= (before[at] ?? ''))) throw new Error('lines of the archive out of order');
  return { first, last, lines: lines.length, offset, length: bytes.length, digest: sha256(bytes) };
}
