import { open, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { ArchiveUnreadable, type ArchiveStore } from './archive-store.ts';

/** Larger than any manifest of a month. */
const mostBytesWhole = 256 * 1024 * 1024;

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function orUnreadable<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof ArchiveUnreadable
      ? error
      : new ArchiveUnreadable(`${name} cannot be read`, { cause: error });
  }
}

/** A folder. Every process that reads the archive has it under the same path. */
export function createDirectoryStore(folder: string): ArchiveStore {
  const placeOf = (name: string): string => path.join(folder, name);
  return {
    async write(name, pieces) {
      // A name that is not finished is never read. One that a killed process left is written anew.
      const unfinished = placeOf(`${name}.unfinished`);
      const handle = await open(unfinished, 'w', 0o600);
      try {
        for await (const piece of pieces) await handle.writeFile(piece);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(unfinished, placeOf(name));
      await syncFolder(folder);
    },
    read: async (name, { offset, length }) =>
      orUnreadable(name, async () => {
        const handle = await open(placeOf(name), 'r');
        try {
          const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(length), position: offset });
          return buffer.subarray(0, bytesRead);
        } finally {
          await handle.close();
        }
      }),
    readWhole: async (name) =>
      orUnreadable(name, async () => {
        const bytes = await readFile(placeOf(name));
        if (bytes.length > mostBytesWhole) throw new ArchiveUnreadable(`${name} is larger than a manifest`);
        return bytes;
      }),
    async remove(name) {
      await rm(placeOf(name), { force: true });
      await rm(placeOf(`${name}.unfinished`), { force: true });
    },
  };
}
