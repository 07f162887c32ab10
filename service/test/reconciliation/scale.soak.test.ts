import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startChild } from '@kelpie/dev/child-process.ts';

// The short form of `npm run bench -- --reconcile 100000`.

test('a clean day of many payouts at a bank is compared line by line, and nothing differs', async () => {
  const args = ['--reconcile', '3000', '--partners', '3', '--cluster', 'test'];
  const bench = startChild({ name: 'bench', file: 'service/bench/bench.ts', args, env: {} });
  const { code } = await bench.exited;
  assert.equal(code, 0, bench.output());
  const line = bench
    .output()
    .split('\n')
    .find((text) => text.startsWith('{"name":"reconcile"'));
  assert(line !== undefined, bench.output());
  const reported: unknown = JSON.parse(line);
  assert(typeof reported === 'object' && reported !== null);
  assert.deepEqual([Reflect.get(reported, 'payouts'), Reflect.get(reported, 'differences')], [3_000, 0]);
  assert(Number(Reflect.get(reported, 'peak_memory_mb')) > 0 && Number(Reflect.get(reported, 'seconds')) > 0);
});
