// npm test [FILE …]: runs the tests. Without a file: those of the tiers unit and integration. --tier=TIER runs one tier.
// --minutes=M begins no file of the tier after M minutes, and names those that were left out.
import { availableParallelism } from 'node:os';
import { spawn } from 'node:child_process';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { useBuiltPrograms } from './built-programs.ts';
import { projectFolder } from './project.ts';
import { beginAt, currentCommit, runWithin } from './limited-run.ts';
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

function filesOf(tier: Tier): string[] {
  const all = listTestFiles();
  return [...all.keys()].filter((file) => all.get(file) === tier);
}

/** Side by side: the unit tests are one process, which leaves all other cores idle. Their output is kept, and printed in one piece. */
async function runTiers(chosen: readonly Tier[]): Promise<number> {
  const outcomes = await Promise.all(
    chosen.map(async (tier) => {
      const outcome = await run(tier, filesOf(tier), { isShown: tier !== 'unit' || chosen.length === 1 });
      process.stdout.write(outcome.output);
      return outcome;
    }),
  );
  return outcomes.find(({ code }) => code !== 0)?.code ?? 0;
}

async function runTierWithin(tier: Tier, minutes: number): Promise<number> {
  const endsAt = performance.now() + minutes * 60_000;
  const files = beginAt(currentCommit(), filesOf(tier));
  const { code, notRun } = await runWithin(files, {
    isOver: () => performance.now() >= endsAt,
    run: async (group) => (await run(tier, group, { isShown: true })).code,
  });
  console.log(`\n${files.length - notRun.length} of ${files.length} files were run in ${minutes} minutes.`);
  for (const file of notRun) console.log(`not run for want of time: ${file}`);
  return code;
}

const { values: options, positionals: files } = parseArgs({
  allowPositionals: true,
  options: { tier: { type: 'string' }, minutes: { type: 'string' } },
});
const tier = tiers.find((each) => each === options.tier);
const minutes = options.minutes === undefined ? undefined : Number(options.minutes);

async function runChosen(): Promise<number> {
  if (files.length > 0) return (await run('integration', files, { isShown: true })).code;
  if (tier !== undefined && minutes !== undefined) return runTierWithin(tier, minutes);
  return runTiers(tier === undefined ? ['unit', 'integration'] : [tier]);
}

const isUnknownTier = options.tier !== undefined && tier === undefined;
const isLimitedWrong = minutes !== undefined && (!Number.isFinite(minutes) || tier === undefined || files.length > 0);
if (isUnknownTier || isLimitedWrong) {
  console.error(`Usage: npm test -- [FILE …] | [--tier=${tiers.join('|')} [--minutes=M]]`);
  process.exitCode = 2;
} else {
  process.exitCode = await runChosen();
}
