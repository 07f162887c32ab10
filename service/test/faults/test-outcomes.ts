/** What came of the tests of one fault. */
export interface FaultOutcome {
  isPassed: boolean;
  text: string;
}

/** As the runner prints one. What failed is printed once more at the end. */
const lineForm = /^ *([✔✖]) (faults ((?:\d+, )*\d+): .*?) \(([\d.]+)ms\)/gm;

/**
 * From what `npm run check` and `npm run test:soak` printed, by the numbers that the names of tests begin with. A test of two
 * faults counts for both.
 */
export function readOutcomes(printed: string): Map<number, FaultOutcome> {
  const tests = new Map<string, { numbers: string; isPassed: boolean; ms: number }>();
  for (const [, mark, name = '', numbers = '', ms] of printed.matchAll(lineForm))
    tests.set(name, { numbers, isPassed: mark === '✔', ms: Number(ms) });
  const counted = new Map<number, { all: number; failed: number; ms: number }>();
  for (const { numbers, isPassed, ms } of tests.values()) {
    for (const number of numbers.split(', ').map(Number)) {
      const sum = counted.get(number) ?? { all: 0, failed: 0, ms: 0 };
      counted.set(number, { all: sum.all + 1, failed: sum.failed + (isPassed ? 0 : 1), ms: sum.ms + ms });
    }
  }
  return new Map(
    [...counted].map(([number, { all, failed, ms }]) => {
      const text = `${all} ${all === 1 ? 'test' : 'tests'} in ${(ms / 1_000).toFixed(1)} s`;
      return [number, { isPassed: failed === 0, text: failed === 0 ? text : `${failed} of ${text}` }];
    }),
  );
}
