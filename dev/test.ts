// npm test [FILE …]: runs the tests. Without a file: those of the tiers unit and integration. --tier=TIER runs one tier.
import { availableParallelism } from 'node:os';
import { spawn } from 'node:child_process';
import path from 'node:path';
import { useBuiltPrograms } from './built-programs.ts';
import { projectFolder } from './project.ts';
import { listTestFiles, tiers, type Tier } from './test-tiers.ts';

/** Each file in a process of its own, with databases. */
function isolated(filesAtOnce: number): string[] {
  return [`--test-concurrency=${filesAtOnce}`, '--test-global-setup=service/test/harness/global-setup.ts'];
}

const optionsOf: Readonly<Record<Tier, readonly string[]>> = {
  // To start a process costs more than most of these files do.
  unit: ['--test-isolation=none'],
  // They wait for a process or the database more than for this machine.
  integration: isolated(availableParallelism() + 1),
  // What repeats at size takes the whole machine, and what is timed must not share it.
  soak: isolated(1),
};

async function run(options: readonly string[], files: readonly string[]): Promise<number> {
  const runner = spawn(process.execPath, ['--test', '--test-timeout=240000', ...options, ...files], {
    cwd: projectFolder,
    stdio: 'inherit',
    // As for the processes that tests start: hundreds read the same sources, and each is compiled once.
    env: { NODE_COMPILE_CACHE: path.join(projectFolder, '.dev/compile-cache'), ...useBuiltPrograms, ...process.env },
  });
  return new Promise((resolve) => runner.on('close', (code) => resolve(code ?? 1)));
}

const args = process.argv.slice(2);
const named = tiers.filter((tier) => args.includes(`--tier=${tier}`));
const files = args.filter((arg) => !arg.startsWith('--tier='));
if (files.length > 0) {
  process.exitCode = await run(optionsOf.integration, files);
} else {
  const all = listTestFiles();
  for (const tier of named.length > 0 ? named : (['unit', 'integration'] as const)) {
    const code = await run(
      optionsOf[tier],
      [...all.keys()].filter((file) => all.get(file) === tier),
    );
    if (code !== 0) process.exitCode = code;
  }
}
