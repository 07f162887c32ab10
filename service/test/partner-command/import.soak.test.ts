import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { eventually } from '@kelpie/dev/eventually.ts';
import { valueAt } from '@kelpie/dev/json.ts';
import { assertAllHolds } from '../harness/invariants.ts';
import { readCsv } from '../harness/read-csv.ts';
import { atSize } from '../harness/sizes.ts';
import { untilQuiet } from '../harness/waits.ts';
import { startWorld } from '../harness/world.ts';
import { payoutRow, writePayoutFile } from './payout-file.ts';
import { createDesk } from './run-kelpie.ts';

const rows = atSize(5_000);
const kills = 10;
const world = await startWorld();
const desk = createDesk({ url: world.api.url, key: world.partner.key });
const file = path.join(desk.folder, 'payroll.csv');
const results = path.join(desk.folder, 'payroll.results.csv');

function linesOf(name: string): number {
  return existsSync(name) ? readFileSync(name, 'utf8').split('\r\n').length - 2 : 0;
}

/** Starts the import, and kills it once it has done some more rows. How many rows have a line then. */
async function importAndKill(more: number): Promise<number> {
  const before = linesOf(results);
  const child = desk.start('payouts', 'import', file, '--rate', '1000');
  await eventually('some rows are done', async () => linesOf(results) >= before + more, 120_000);
  await wait(randomInt(30));
  child.kill('SIGKILL');
  assert.equal((await child.exited).signal, 'SIGKILL', child.output());
  return linesOf(results);
}

test(
  `${rows} rows, killed ${kills} times: ${rows} payments at the bank, none twice, and the file uploaded again pays nothing`,
  { timeout: 1_200_000 },
  async (t) => {
    writePayoutFile(
      file,
      Array.from({ length: rows }, (_, number) => payoutRow(number)),
    );
    const startedAt = performance.now();
    const done: number[] = [];
    for (let kill = 0; kill < kills; kill += 1)
      done.push(await importAndKill(randomInt(1, Math.floor(rows / (kills + 2)))));
    const sentWhenKilled = (await world.bank.record()).payments.length;
    const last = await desk.run('payouts', 'import', file, '--rate', '1000', '--json');
    assert.equal(last.code, 0, last.output);
    const seconds = (performance.now() - startedAt) / 1_000;
    const listed = readCsv(readFileSync(results, 'utf8')).slice(1);
    assert.deepEqual(
      listed.map(([row, key]) => [row, key]),
      Array.from({ length: rows }, (_, number) => [String(number + 2), payoutRow(number).idempotency_key]),
    );
    const payouts = new Set(listed.map(([, , payoutId]) => payoutId));
    assert.equal(payouts.size, rows);
    await untilQuiet(world.database, { timeoutMs: 120_000 });
    const { payments } = await world.bank.record();
    assert.equal(payments.length, rows);
    assert.equal(new Set(payments.map(({ client_reference_id: reference }) => reference)).size, rows);
    assert.equal(
      payments.reduce((sum, { amount_pence: pence }) => sum + pence, 0n),
      BigInt(rows) * 100n,
    );
    // Neither the result file nor its loss makes a second payment.
    const again = await desk.run('payouts', 'import', file, '--rate', '1000', '--json');
    assert.deepEqual([again.code, valueAt(again.json, 'created')], [0, 0], again.output);
    rmSync(results);
    const replayed = await desk.run('payouts', 'import', file, '--rate', '1000', '--json');
    assert.deepEqual(
      [replayed.code, valueAt(replayed.json, 'created'), valueAt(replayed.json, 'created_earlier')],
      [0, 0, rows],
      replayed.output,
    );
    assert.equal((await world.bank.record()).payments.length, rows);
    await assertAllHolds({ ...world, acknowledged: [...payouts].map(String) });
    t.diagnostic(`${rows} rows, ${kills} kills after ${done.join(', ')} rows, in ${seconds.toFixed(1)} s`);
    t.diagnostic(
      `payments at the bank: ${sentWhenKilled} at the last kill, ${payments.length} at the end; the last run found ${String(valueAt(last.json, 'created_earlier'))} created and created ${String(valueAt(last.json, 'created'))}`,
    );
  },
);
