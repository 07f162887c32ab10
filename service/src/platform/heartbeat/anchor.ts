import { open, readFile, rename } from 'node:fs/promises';
import path from 'node:path';

/** The heartbeat's number outside the database. */
export type Anchor =
  | { kind: 'read'; number: bigint }
  | { kind: 'missing' }
  /** It can't be read, or holds something else. */
  | { kind: 'unreadable' };

const form = /^(\d{1,18})\n$/;

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

export async function readAnchor(file: string): Promise<Anchor> {
  try {
    const [, number] = form.exec(await readFile(file, 'utf8')) ?? [];
    return number === undefined ? { kind: 'unreadable' } : { kind: 'read', number: BigInt(number) };
  } catch (error) {
    return { kind: isMissing(error) ? 'missing' : 'unreadable' };
  }
}

async function withFile(
  file: string,
  flags: string,
  work: (handle: Awaited<ReturnType<typeof open>>) => Promise<void>,
) {
  const handle = await open(file, flags, 0o600);
  try {
    await work(handle);
  } finally {
    await handle.close();
  }
}

/** Whole or not at all, also through a power failure: a reader sees the old number or the new one. */
export async function writeAnchor(file: string, number: bigint): Promise<void> {
  const aside = `${file}.${process.pid}`;
  await withFile(aside, 'w', async (handle) => {
    await handle.writeFile(`${number}\n`);
    await handle.sync();
  });
  await rename(aside, file);
  await withFile(path.dirname(file), 'r', async (folder) => folder.sync());
}
