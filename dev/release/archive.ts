import path from 'node:path';
import { runCommand } from '../cluster/run-command.ts';

const timeoutMs = 900_000;

/** Packs a folder under its own name. The same content gives the same bytes, on any machine and at any time. */
export async function packFolder(folder: string, archive: string, epochSeconds: number): Promise<void> {
  const same = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--mode=u=rwX,go=rX', '--format=ustar'];
  const [parent, name] = [path.dirname(folder), path.basename(folder)];
  // Without -n gzip writes down the time.
  const args = [
    '--use-compress-program=gzip -n',
    ...same,
    `--mtime=@${epochSeconds}`,
    '-C',
    parent,
    '-cf',
    archive,
    name,
  ];
  await runCommand('tar', args, timeoutMs);
}
