import { createHash } from 'node:crypto';
import { Type, type Static } from 'typebox';
import { Value } from 'typebox/value';
import { ArchiveUnreadable } from './archive-store.ts';

const digest = Type.String({ pattern: '^[0-9a-f]{64}$' });
const count = Type.Integer({ minimum: 0 });

const blockForm = Type.Object({
  /** The keys of its first and last line. */
  first: Type.String(),
  last: Type.String(),
  lines: count,
  offset: count,
  length: count,
  /** SHA-256 of its bytes as they are in the file. */
  digest,
});

const partForm = Type.Object({ lines: count, bytes: count, blocks: Type.Array(blockForm) });

const manifestForm = Type.Object({
  version: Type.Literal(2),
  month: Type.String({ pattern: '^[0-9]{4}-(0[1-9]|1[0-2])$' }),
  payouts: partForm,
  entries: partForm,
});

export type Block = Static<typeof blockForm>;
/** A file of a month, block by block. */
export type Part = Static<typeof partForm>;
/** What a month in the archive holds. */
export type Manifest = Static<typeof manifestForm>;

export function sha256(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

export function writeManifest(manifest: Manifest): Buffer {
  return Buffer.from(`${JSON.stringify(manifest)}\n`);
}

/** The manifest itself is proved by the digest that the database has of it. */
export function readManifest(bytes: Buffer, { name, expected }: { name: string; expected: string }): Manifest {
  if (sha256(bytes) !== expected) throw new ArchiveUnreadable(`the manifest of ${name} is not what was written`);
  const read: unknown = JSON.parse(bytes.toString());
  if (!Value.Check(manifestForm, read)) throw new ArchiveUnreadable(`the manifest of ${name} has another form`);
  return read;
}

/** The files of a month, by what the database calls them. */
export function fileNames(name: string): { payouts: string; entries: string; manifest: string } {
  return { payouts: `${name}.payouts`, entries: `${name}.entries`, manifest: `${name}.json` };
}
