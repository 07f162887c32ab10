// npm run sdk:gates: packs the SDK, and has two tools look at the package as strangers would meet it.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { projectFolder } from '../project.ts';
import { packSdk } from './pack.ts';

/** publint reads the manifest and the files it names; attw resolves every entry as each module system does. */
const gates = [
  ['publint', '--strict'],
  ['attw', '--format', 'ascii'],
] as const;

const folder = mkdtempSync(path.join(tmpdir(), 'kelpie-sdk-gates-'));
try {
  const packed = await packSdk(folder);
  for (const [tool, ...options] of gates) {
    const program = path.join(projectFolder, 'sdk/node_modules/.bin', tool);
    const { status } = spawnSync(program, [...options, packed], { stdio: 'inherit', timeout: 300_000 });
    if (status !== 0) process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true });
}
