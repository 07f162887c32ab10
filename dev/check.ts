// npm run check: everything that must hold before a commit, and what CI runs first. It closes with the number of tests.
import { spawn } from 'node:child_process';
import manifest from '../package.json' with { type: 'json' };
import { projectFolder } from './project.ts';

/** Scripts of package.json. These run at the same time: none of them keeps two cores busy all along. */
const quick = [
  'format:check',
  'types',
  'lint',
  'lint:unused',
  'lint:migrations',
  'openapi:check',
  'openapi:lint',
  'sdk:types:check',
];

function commandOf(script: string): string {
  const scripts: unknown = Reflect.get(manifest, 'scripts');
  const command: unknown = typeof scripts === 'object' && scripts !== null ? Reflect.get(scripts, script) : undefined;
  if (typeof command !== 'string') throw new Error(`package.json has no script ${script}`);
  return command;
}

/** What the step printed, once it is through. */
async function run(command: string, { isShown }: { isShown: boolean }): Promise<{ code: number; output: string }> {
  const child = spawn('bash', ['-o', 'pipefail', '-c', command], {
    cwd: projectFolder,
    stdio: ['ignore', 'pipe', isShown ? 'inherit' : 'pipe'],
    env: { ...process.env, PATH: `${projectFolder}/node_modules/.bin:${process.env['PATH'] ?? ''}` },
  });
  let output = '';
  const keep = (chunk: Buffer): void => {
    output += chunk.toString();
    if (isShown) process.stdout.write(chunk);
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  return new Promise((resolve) => child.on('close', (code) => resolve({ code: code ?? 1, output })));
}

/** Over all tiers: each ends with its own figures. */
function countOf(word: 'pass' | 'fail' | 'cancelled', output: string): number {
  const counts = [...output.matchAll(new RegExp(`^ℹ ${word} (\\d+)$`, 'gm'))];
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}

const summary: string[] = [];
let failedSteps = 0;

/** Its output is shown as it comes, or else at its end. */
async function step(name: string, { isShown }: { isShown: boolean }): Promise<string> {
  if (isShown) console.log(`\n── ${name}`);
  const startedAt = performance.now();
  const { code, output } = await run(commandOf(name), { isShown });
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  if (!isShown) console.log(`\n── ${name}\n${output}`.trimEnd());
  if (code !== 0) failedSteps += 1;
  summary.push(`${code === 0 ? 'ok    ' : 'FAILED'} ${seconds.padStart(6)} s  ${name}`);
  return output;
}

await Promise.all(quick.map(async (name) => step(name, { isShown: false })));
const output = await step('test', { isShown: true });
const passed = countOf('pass', output);
const failed = countOf('fail', output) + countOf('cancelled', output);
console.log(`\n${summary.join('\n')}\n${passed} passed, ${failed} failed`);
process.exit(failedSteps === 0 && passed > 0 ? 0 : 1);
