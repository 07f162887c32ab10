import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { runCommand } from '../cluster/run-command.ts';
import { textAt } from '../json.ts';
import { projectFolder } from '../project.ts';

const timeoutMs = 300_000;
const sdkFolder = path.join(projectFolder, 'sdk');

/**
 * Builds the SDK and packs it as it is published. Returns the file. By pnpm, which heeds publishConfig; npm would pack the
 * sources. One at a time, because each build empties sdk/dist.
 */
export async function packSdk(folder: string): Promise<string> {
  const lock = path.join(projectFolder, '.dev/sdk-pack.lock');
  mkdirSync(path.dirname(lock), { recursive: true });
  const pack = ['pnpm', '--dir', sdkFolder, 'pack', '--pack-destination', folder];
  await runCommand('flock', ['--timeout', String(timeoutMs / 1000), lock, ...pack], 2 * timeoutMs);
  const version = textAt(JSON.parse(readFileSync(path.join(sdkFolder, 'package.json'), 'utf8')), 'version');
  return path.join(folder, `kelpie-sdk-${version}.tgz`);
}
