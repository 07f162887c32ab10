import assert from 'node:assert/strict';
import { test } from 'node:test';
import { metricNamesOf } from './metric-names.ts';

test('the metrics of an expression are found, and not its functions, labels, strings or durations', () => {
  const found = [
    ['up{job="kelpie-api"} == 0', ['up']],
    ['sum by (instance, le) (rate(a_bucket{le="1",b=~"x|y"}[5m])) / on (c) group_left (d) e > 1e9', ['a_bucket', 'e']],
    ['max(a) - max(b offset 1d) or (c unless d offset 15m) and on () vector(1)', ['a', 'b', 'c', 'd']],
    ['time() - kelpie:creation_failed:ratio_rate5m > 14.4 * 0.0005', ['kelpie:creation_failed:ratio_rate5m']],
    ['label_replace(a, "x", "$1", "y", "b (c)")', ['a']],
  ] as const;
  for (const [expression, names] of found) assert.deepEqual(metricNamesOf(expression), names, expression);
});
