import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { ruleFiles } from '@kelpie/dev/monitoring/files.ts';
import { scaleRoutes, scaleRules } from './scale-rules.ts';

test('waits, windows and ages are divided; shares, sizes and names are not', () => {
  const scaled = [
    ['for: 1m', 'for: 15000ms'],
    ['rate(a:ratio_rate5m[5m]) > 14.4 * 0.0005', 'rate(a:ratio_rate5m[75000ms]) > 14.4 * 0.0005'],
    ['max(a_seconds) > 1800', 'max(a_seconds) > 1800 / 4'],
    ['time() - a > 26 * 3600', 'time() - a > 26 * 3600 / 4'],
    ['a > 67108864 or b > 1e9 or c > 0.5 or d > 4.5', 'a > 67108864 or b > 1e9 or c > 0.5 or d > 4.5'],
  ] as const;
  for (const [rule, expected] of scaled) assert.equal(scaleRules(rule, 4), expected);
  assert.equal(scaleRoutes('group_wait: 0s\ngroup_interval: 5m', 4), 'group_wait: 0s\ngroup_interval: 75000ms');
});

test('every alert that waits waits less', () => {
  for (const file of ruleFiles) {
    const rules = readFileSync(file, 'utf8');
    assert.equal(scaleRules(rules, 4).match(/for: \d+ms/g)?.length, rules.match(/for: \d+[smhd]/g)?.length);
  }
});
