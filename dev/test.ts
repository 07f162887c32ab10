// npm test [FILE …]: runs the tests. Without a file: those of the tiers unit and integration. --tier=TIER runs one tier.
import { availableParallelism } from 'node:os';
import { spawn } from 'node:child_process';
import path from 'node:path';
import { useBuiltPrograms } from './built-programs.ts';
import { projectFolder } from './project.ts';
import { listTestFiles, tiers, type Tier } from './test-tiers.ts';

/** Each file in a process of its own, with databases, and failed by what its processes give away. */
function isolated(filesAtOnce: number): string[] {
  return [
    '--import=./service/test/harness/canaries/preload.ts',
    `--test-concurrency=${filesAtOnce}`,
    '--test-global-setup=service/test/harness/global-setup.ts',
  ];
}

const optionsOf: Readonly<Record<Tier, readonly string[]>> = {
  // To start a process costs more than most of these files do.
  unit: ['--test-isolation=none'],
  // They wait for a process or the database more than for this machine.
  integration: isolated(2 * availableParallelism()),
  // What repeats at size takes the whole machine, and what is timed must not share it.
  soak: isolated(1),
};

interface Outcome {
  code: number;
  /** Where it was kept aside. */
  output: string;
}

async function run(tier: Tier, files: readonly string[], { isShown }: { isShown: boolean }): Promise<Outcome> {
  const runner = spawn(process.execPath, ['--test', '--test-timeout=240000', ...optionsOf[tier], ...files], {
    cwd: projectFolder,
    stdio: ['ignore', isShown ? 'inherit' : 'pipe', 'inherit'],
    // As for the processes that tests start: hundreds read the same sources, and each is compiled once.
    env: { NODE_COMPILE_CACHE: path.join(projectFolder, '.dev/compile-cache'), ...useBuiltPrograms, ...process.env },
  });
  let output = '';
  runner.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return new Promise((resolve) => runner.on('close', (code) => resolve({ code: code ?? 1, output })));
}

/** Side by side: the unit tests are one process, which leaves all other cores idle. Their output is kept, and printed in one piece. */
async function runTiers(chosen: readonly Tier[]): Promise<number> {
  const all = listTestFiles();
  const outcomes = await Promise.all(
    chosen.map(async (tier) => {
      const ofTier = [...all.keys()].filter((file) => all.get(file) === tier);
      const outcome = await run(tier, ofTier, { isShown: tier !== 'unit' || chosen.length === 1 });
      process.stdout.write(outcome.output);
      return outcome;
    }),
  );
  return outcomes.find(({ code }) => code !== 0)?.code ?? 0;
}

const args = process.argv.slice(2);
const named = tiers.filter((tier) => args.includes(`--tier=${tier}`));
const files = args.filter((arg) => !arg.startsWith('--tier='));
process.exitCode =
  files.length > 0
    ? (await run('integration', files, { isShown: true })).code
    : await runTiers(named.length > 0 ? named : ['unit', 'integration']);
