import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startChild } from '@kelpie/dev/child-process.ts';

// The short form of `npm run bench -- --invoices 1000`.

test('a month of many partners is loaded and invoiced, and every total is what was loaded', async () => {
  const args = ['--invoices', '20', '--payouts', '300', '--cluster', 'test'];
  const bench = startChild({ name: 'bench', file: 'service/bench/bench.ts', args, env: {} });
  const { code } = await bench.exited;
  assert.equal(code, 0, bench.output());
  assert.match(bench.output(), /20 invoices issued, KP-000001 to KP-000020/);
  const line = bench
    .output()
    .split('\n')
    .find((text) => text.startsWith('{"name":"invoices"'));
  assert(line !== undefined, bench.output());
  const reported: unknown = JSON.parse(line);
  assert(typeof reported === 'object' && reported !== null);
  assert.equal(Reflect.get(reported, 'payouts'), 6_000);
  assert(Number(Reflect.get(reported, 'peak_memory_mb')) > 0 && Number(Reflect.get(reported, 'seconds')) > 0);
  // A partner's month is read from the index alone, in the partitions of that month alone.
  assert.match(bench.output(), /Index Only Scan using ledger_entries_\d{4}_\d{2}\w*idx/);
});
