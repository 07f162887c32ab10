// The write-ahead log of a node is on a small disk of its own, so that it can be filled without filling the machine's.
import { existsSync, readFileSync } from 'node:fs';
import { rm, statfs, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { runCommand } from './run-command.ts';

/** Sparse: it takes what is written to it. PostgreSQL keeps about 1 GB of log before a checkpoint. */
const sizeMb = 2_048;

function imageOf(mountPoint: string): string {
  return `${mountPoint}.img`;
}

function ballastOf(mountPoint: string): string {
  return path.join(mountPoint, 'ballast');
}

export async function mountDisk(mountPoint: string): Promise<void> {
  const image = imageOf(mountPoint);
  await writeFile(image, '');
  await truncate(image, sizeMb * 1024 * 1024);
  // No reserve for root: the disk is full for PostgreSQL when it is full.
  await runCommand('mkfs.ext4', ['-q', '-m', '0', image]);
  await runCommand('mount', ['-o', 'loop', image, mountPoint]);
}

function isMounted(mountPoint: string): boolean {
  return readFileSync('/proc/self/mounts', 'utf8').includes(` ${mountPoint} `);
}

export async function unmountDisk(mountPoint: string): Promise<void> {
  if (isMounted(mountPoint)) await runCommand('umount', [mountPoint]);
  await rm(imageOf(mountPoint), { force: true });
}

/** Takes all the space that is left. */
export async function fillDiskAt(mountPoint: string): Promise<void> {
  const { bavail, bsize } = await statfs(mountPoint);
  await runCommand('fallocate', ['--length', String(bavail * bsize), ballastOf(mountPoint)]).catch(async () => {
    // The file system needs some blocks for the file itself.
    await runCommand('dd', ['if=/dev/zero', `of=${ballastOf(mountPoint)}`, 'bs=64K']).catch(() => undefined);
  });
}

export async function freeDiskAt(mountPoint: string): Promise<void> {
  await rm(ballastOf(mountPoint), { force: true });
}

export function isFilled(mountPoint: string): boolean {
  return existsSync(ballastOf(mountPoint));
}
