// npm run check: everything that must hold before a commit, and what CI runs first. It closes with the number of tests.
import { spawn } from 'node:child_process';
import manifest from '../package.json' with { type: 'json' };
import { projectFolder } from './project.ts';

/** Scripts of package.json, the quick ones first. */
const steps = [
  'format:check',
  'types',
  'lint',
  'lint:unused',
  'lint:migrations',
  'openapi:check',
  'sdk:types:check',
  'test',
];

function commandOf(script: string): string {
  const scripts: unknown = Reflect.get(manifest, 'scripts');
  const command: unknown = typeof scripts === 'object' && scripts !== null ? Reflect.get(scripts, script) : undefined;
  if (typeof command !== 'string') throw new Error(`package.json has no script ${script}`);
  return command;
}

/** What the step printed, once it is through; it is shown as it comes, too. */
async function run(command: string): Promise<{ code: number; output: string }> {
  const child = spawn('bash', ['-o', 'pipefail', '-c', command], {
    cwd: projectFolder,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, PATH: `${projectFolder}/node_modules/.bin:${process.env['PATH'] ?? ''}` },
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
    process.stdout.write(chunk);
  });
  return new Promise((resolve) => child.on('close', (code) => resolve({ code: code ?? 1, output })));
}

/** Over all tiers: each ends with its own figures. */
function countOf(word: 'pass' | 'fail' | 'cancelled', output: string): number {
  const counts = [...output.matchAll(new RegExp(`^ℹ ${word} (\\d+)$`, 'gm'))];
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}

const summary: string[] = [];
let failedSteps = 0;
const tests = { passed: 0, failed: 0 };
for (const name of steps) {
  console.log(`\n── ${name}`);
  const startedAt = performance.now();
  const { code, output } = await run(commandOf(name));
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  if (code !== 0) failedSteps += 1;
  tests.passed += countOf('pass', output);
  tests.failed += countOf('fail', output) + countOf('cancelled', output);
  summary.push(`${code === 0 ? 'ok    ' : 'FAILED'} ${seconds.padStart(6)} s  ${name}`);
}
console.log(`\n${summary.join('\n')}\n${tests.passed} passed, ${tests.failed} failed`);
process.exit(failedSteps === 0 && tests.passed > 0 ? 0 : 1);
