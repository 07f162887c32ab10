import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startChild } from '@kelpie/dev/child-process.ts';
import { valueAt } from '@kelpie/dev/json.ts';

/** What each line of the bench promises. The values of a run that is as short as this one say nothing. */
const figures = ['ratio', 'tps', 'p50_ms', 'p99_ms', 'cpu_us_pg', 'cpu_us_node'];
/** No request was ever done in no time; of the processor so little may be used that Linux does not count it. */
const aboveZero = ['tps', 'p50_ms', 'p99_ms'];
const names = ['create_32', 'create_128', 'hot_32', 'hot_128', 'get', 'list'];
const bareNames = ['bare_32', 'bare_batch_32', 'bare_hot_32', 'bare_get', 'bare_list'];

function numberAt(line: object, name: string): number {
  const value: unknown = Reflect.get(line, name);
  assert(typeof value === 'number' && Number.isFinite(value), `${name} is not a number in ${JSON.stringify(line)}`);
  return value;
}

/** Runs the bench for a moment on the tests' own server, and gives the lines that it printed. */
async function runTrial(...args: readonly string[]): Promise<object[]> {
  const all = ['--trial', '--cluster', 'test', ...args];
  const bench = startChild({ name: 'bench', file: 'service/bench/bench.ts', args: all, env: {} });
  const { code } = await bench.exited;
  assert.equal(code, 0, bench.output());
  return bench
    .printed()
    .split('\n')
    .map((line): unknown => JSON.parse(line))
    .filter((line) => typeof line === 'object' && line !== null);
}

test('the bench prints a whole line for each measure, and counts no payout that was not made', async () => {
  const lines = await runTrial();
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

test('each of many requests that wait is answered with the change that it waits for', async (t) => {
  const [line] = await runTrial('--waiters', '300');
  t.diagnostic(JSON.stringify(line));
  assert.deepEqual([valueAt(line, 'name'), valueAt(line, 'answered')], ['waiters', 300]);
});

test('the bench prints the memory after each tenth of the requests', async () => {
  const lines = await runTrial('--memory', '10');
  assert.equal(lines.length, 10);
  for (const line of lines)
    for (const figure of ['requests', 'resident_mb']) assert(numberAt(line, figure) > 0, figure);
});

test('a commit can be compared with the checkout that it is in', async () => {
  const lines = await runTrial('--against', 'HEAD');
  assert.deepEqual(
    lines.map((line) => valueAt(line, 'name')),
    ['create_1', 'create_32', 'create_128', 'hot_1', 'hot_32', 'hot_128'],
  );
  for (const line of lines) {
    for (const figure of ['cpu_us', 'cpu_us_pg', 'cpu_us_node', 'tps', 'p50_ms']) {
      for (const part of ['base', 'head', 'ratio', 'low', 'high']) {
        const value = valueAt(line, `${figure}.${part}`);
        assert(typeof value === 'number' && value > 0, `${figure}.${part} in ${JSON.stringify(line)}`);
      }
    }
  }
});

test('what webhooks take and cost is measured', async () => {
  const lines = await runTrial('--webhooks');
  assert.deepEqual(
    lines.map((line) => valueAt(line, 'name')),
    ['webhook_first_attempt', 'webhook_beside_hanging', 'webhook_lives'],
  );
  const [first = {}, beside = {}, lives = {}] = lines;
  assert(numberAt(first, 'first_attempt_p50_ms') <= numberAt(first, 'first_attempt_p99_ms'));
  assert.equal(numberAt(first, 'forged'), 0);
  for (const figure of ['alone_p50_ms', 'beside_p50_ms', 'ratio', 'hung']) assert(numberAt(beside, figure) > 0, figure);
  for (const figure of ['without_per_s', 'with_per_s', 'ratio', 'deliveries'])
    assert(numberAt(lives, figure) > 0, figure);
});
