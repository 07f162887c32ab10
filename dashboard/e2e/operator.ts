import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { projectFolder } from '@kelpie/dev/project.ts';
import { stack } from './stack.ts';

/** The operator's own command. */
export async function operate(...args: readonly string[]): Promise<void> {
  const command = path.join(projectFolder, 'service/src/app/cli.ts');
  await promisify(execFile)(process.execPath, [`--env-file=${stack.operatorEnvFile}`, command, ...args], {
    cwd: projectFolder,
  });
}
