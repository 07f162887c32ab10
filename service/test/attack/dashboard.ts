import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { projectFolder } from '@kelpie/dev/project.ts';

const folder = path.join(projectFolder, 'dashboard');

/** Builds the dashboard where it was never built: without it the api serves no page to attack. */
export function ensureDashboard(): void {
  if (existsSync(path.join(folder, 'dist/index.html'))) return;
  const args = ['node_modules/vite/bin/vite.js', 'build', '--logLevel', 'warn'];
  const { status } = spawnSync(process.execPath, args, { cwd: folder, stdio: 'inherit' });
  if (status !== 0) throw new Error('the dashboard could not be built');
}
