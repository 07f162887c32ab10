// npm test [FILE …]: the tests, on real databases that are cloned for each file. Without a file, all of them.
import { availableParallelism } from 'node:os';
import { spawn } from 'node:child_process';
import path from 'node:path';
import { useBuiltPrograms } from './built-programs.ts';
import { projectFolder } from './project.ts';

const files = process.argv.slice(2);
// Most tests wait for a process or the database rather than for this machine.
const filesAtOnce = availableParallelism() + 1;

const runner = spawn(
  process.execPath,
  [
    '--test',
    `--test-concurrency=${filesAtOnce}`,
    '--test-timeout=240000',
    '--test-global-setup=service/test/harness/global-setup.ts',
    ...(files.length > 0 ? files : ['{service,sandbox-bank,dev,sdk,dashboard}/**/*.test.ts']),
  ],
  {
    cwd: projectFolder,
    stdio: 'inherit',
    // As for the processes that tests start: hundreds read the same sources, and each is compiled once.
    env: { NODE_COMPILE_CACHE: path.join(projectFolder, '.dev/compile-cache'), ...useBuiltPrograms, ...process.env },
  },
);
runner.on('close', (code) => process.exit(code ?? 1));
