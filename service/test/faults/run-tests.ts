import { spawnSync } from 'node:child_process';
import { projectFolder } from '@kelpie/dev/project.ts';

/** What came of the tests of one fault. */
export interface FaultOutcome {
  isPassed: boolean;
  text: string;
}

const timeoutMs = 3_600_000;
/** As the runner prints one; what failed is listed once more at the end. */
const lineForm = /^ *([✔✖]) faults ((?:\d+, )*\d+): .*? \(([\d.]+)ms\)/gm;
const failuresBelow = '✖ failing tests:';

/** By the numbers that the names of tests begin with. A test of two faults counts for both. */
export function readOutcomes(...printed: readonly string[]): Map<number, FaultOutcome> {
  const lines = printed.map((one) => one.split(failuresBelow)[0]).join('\n');
  const counted = new Map<number, { passed: number; failed: number; ms: number }>();
  for (const [, mark, numbers = '', ms] of lines.matchAll(lineForm)) {
    for (const number of numbers.split(', ').map(Number)) {
      const { passed, failed, ms: sum } = counted.get(number) ?? { passed: 0, failed: 0, ms: 0 };
      const isPassed = mark === '✔';
      counted.set(number, {
        passed: passed + (isPassed ? 1 : 0),
        failed: failed + (isPassed ? 0 : 1),
        ms: sum + Number(ms),
      });
    }
  }
  return new Map(
    [...counted].map(([number, { passed, failed, ms }]) => {
      const tests = `${passed + failed} ${passed + failed === 1 ? 'test' : 'tests'} in ${(ms / 1_000).toFixed(1)} s`;
      return [number, { isPassed: failed === 0, text: failed === 0 ? tests : `${failed} of ${tests}` }];
    }),
  );
}

function runFiles(files: readonly string[], filesAtOnce: readonly string[]): string {
  const args = ['dev/test.ts', '--test-name-pattern=^faults \\d', ...filesAtOnce, ...files];
  const { stdout } = spawnSync(process.execPath, args, {
    cwd: projectFolder,
    encoding: 'utf8',
    timeout: timeoutMs,
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout;
}

/** Runs the tests of faults that these files have. What is timed or large has the machine to itself. */
export function runFaultTests(files: readonly string[], say: (text: string) => void): Map<number, FaultOutcome> {
  const all = [...new Set(files)];
  const soak = all.filter((file) => file.endsWith('.soak.test.ts'));
  const others = all.filter((file) => !soak.includes(file));
  say(`${others.length} files of tests`);
  const printed = runFiles(others, []);
  say(`${soak.length} files of tests, one after the other`);
  return readOutcomes(printed, runFiles(soak, ['--test-concurrency=1']));
}
