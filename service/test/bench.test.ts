import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startChild } from '@kelpie/dev/child-process.ts';

/** What each line of the bench promises. The values of a run that is as short as this one say nothing. */
const figures = ['ratio', 'tps', 'p50_ms', 'p99_ms', 'cpu_us_pg', 'cpu_us_node'];
/** No request was ever done in no time; of the processor so little may be used that Linux does not count it. */
const aboveZero = ['tps', 'p50_ms', 'p99_ms'];
const names = ['create_32', 'create_128', 'hot_32', 'hot_128', 'get', 'list'];
const bareNames = ['bare_32', 'bare_hot_32', 'bare_get', 'bare_list'];

function numberAt(line: object, name: string): number {
  const value: unknown = Reflect.get(line, name);
  assert(typeof value === 'number' && Number.isFinite(value), `${name} is not a number in ${JSON.stringify(line)}`);
  return value;
}

test('the bench prints a whole line for each measure, and counts no payout that was not made', async () => {
  const args = ['--trial', '--cluster', 'test'];
  const bench = startChild({ name: 'bench', file: 'service/bench/bench.ts', args, env: {} });
  const { code } = await bench.exited;
  assert.equal(code, 0, bench.output());

  const lines = bench
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line): unknown => JSON.parse(line))
    .filter((line) => typeof line === 'object' && line !== null);
  const byName = new Map(lines.map((line) => [String(Reflect.get(line, 'name')), line]));
  assert.deepEqual([...byName.keys()].toSorted(), [...names, ...bareNames].toSorted());
  for (const line of lines) {
    for (const figure of figures) assert(numberAt(line, figure) >= 0, `${figure} in ${JSON.stringify(line)}`);
    for (const figure of aboveZero) assert(numberAt(line, figure) > 0, `${figure} in ${JSON.stringify(line)}`);
    assert(numberAt(line, 'p50_ms') <= numberAt(line, 'p99_ms'));
  }
  for (const name of bareNames) assert.equal(numberAt(byName.get(name) ?? {}, 'ratio'), 1);
  assert(numberAt(byName.get('create_32') ?? {}, 'p99_ratio') > 0);
});
