import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { listAt, valueAt } from '@kelpie/dev/json.ts';
import { readNamedCsv } from '../harness/read-csv.ts';
import { defaultLimits } from '../harness/processes.ts';
import { startWorld } from '../harness/world.ts';
import { payoutRow, writePayoutFile, type Row } from './payout-file.ts';
import { createDesk } from './run-kelpie.ts';

const world = await startWorld();
const desk = createDesk({ url: world.api.url, key: world.partner.key });

function fileOf(name: string, rows: readonly Row[]): { file: string; results: string } {
  const file = path.join(desk.folder, `${name}.csv`);
  writePayoutFile(file, rows);
  return { file, results: path.join(desk.folder, `${name}.results.csv`) };
}

const payments = async (): Promise<number> => (await world.bank.record()).payments.length;
const read = (results: string): Record<string, string>[] => readNamedCsv(readFileSync(results, 'utf8'));

test('a file with faults is refused as a whole: every fault at once, with its line', async () => {
  const { file, results } = fileOf('faulty', [
    payoutRow(1),
    payoutRow(2, { amount_gbp: '1', sort_code: '40004' }),
    payoutRow(1, { amount_gbp: '20000.01' }),
    payoutRow(4, { first_name: '' }),
  ]);
  const { code, output } = await desk.run('payouts', 'import', file);
  assert.equal(code, 65);
  assert.deepEqual(output.split('\n').slice(1), [
    '  line 3: amount_gbp must be an amount with two decimals, such as 25.00',
    '  line 3: sort_code must be 6 digits. A spreadsheet may have removed a leading zero: format the column as text',
    '  line 4: amount_gbp must be from 1.00 to 20000.00',
    '  line 4: idempotency_key is the same as on line 2. Each row needs its own',
    '  line 5: first_name is required',
  ]);
  const { json } = await desk.run('payouts', 'import', file, '--json');
  assert.equal(valueAt(json, 'error.code'), 'file_invalid');
  assert.equal(listAt(json, 'error.faults').length, 5);
  assert.deepEqual([await payments(), existsSync(results)], [0, false]);
});

test('a dry run says what would be paid, and neither sends nor writes anything', async () => {
  const { file, results } = fileOf('dry', [payoutRow(1), payoutRow(2, { amount_gbp: '19999.50' })]);
  const { code, json } = await desk.run('payouts', 'import', file, '--dry-run', '--json');
  assert.deepEqual(
    [code, valueAt(json, 'dry_run'), valueAt(json, 'rows'), valueAt(json, 'total_gbp')],
    [0, true, 2, '20000.50'],
  );
  const { output } = await desk.run('payouts', 'import', file, '--dry-run');
  assert.match(output, /^2 rows, 20000\.50 GBP in all\. Every row is valid\.$/m);
  assert.match(output, /^The wallet holds about \d+\.\d\d GBP, less than the 20000\.50 GBP left to pay\.$/m);
  assert.deepEqual([await payments(), existsSync(results)], [0, false]);
});

test('the same file pays once; a changed row is refused, a new one is paid, and the result file says so', async () => {
  const rows = [payoutRow(11), payoutRow(12), payoutRow(13, { sort_code: '04-00-04' })];
  const { file, results } = fileOf('payroll', rows);
  assert.equal((await desk.run('payouts', 'import', file)).code, 0);
  assert.equal(await payments(), 3);
  assert.equal(statSync(results).mode & 0o777, 0o600);
  fileOf('payroll', [payoutRow(11, { amount_gbp: '2.00' }), payoutRow(12), payoutRow(14)]);
  const { code, json } = await desk.run('payouts', 'import', file, '--json');
  assert.equal(code, 1);
  assert.deepEqual(
    ['rows', 'created', 'created_earlier', 'refused', 'not_sent', 'stopped'].map((name) => valueAt(json, name)),
    [3, 1, 1, 1, 0, null],
  );
  assert.equal(await payments(), 4);
  const [changed, ...others] = read(results);
  assert.deepEqual([changed?.['status'], changed?.['payout_id']], ['refused', '']);
  assert.match(changed?.['error'] ?? '', /^idempotency_key_reused: /);
  assert(others.every(({ payout_id: id, error }) => id !== '' && error === ''));
});

test('a key that a spreadsheet would run is defused in the result file, and still known by the next run', async () => {
  const { file, results } = fileOf('formula', [payoutRow(21, { idempotency_key: '-2-3-cmd:formula' })]);
  assert.equal((await desk.run('payouts', 'import', file)).code, 0);
  assert.match(readFileSync(results, 'utf8'), /^2,"'-2-3-cmd:formula",/m);
  const { json } = await desk.run('payouts', 'import', file, '--json');
  assert.deepEqual([valueAt(json, 'created'), valueAt(json, 'created_earlier')], [0, 1]);
});

test('a run stops where funds end, names what waits, and exits with 75', async () => {
  const poor = await world.addPartner();
  const before = await payments();
  const desk2 = createDesk({ url: world.api.url, key: poor.key });
  const file = path.join(desk2.folder, 'large.csv');
  writePayoutFile(
    file,
    [1, 2, 3].map((number) => payoutRow(number, { amount_gbp: '5000.00' })),
  );
  const { code, output } = await desk2.run('payouts', 'import', file, '--rate', '1');
  assert.equal(code, 75, output);
  assert.match(output, /^Stopped at line 3: Funds have run out\. The wallet lacks \d+\.\d\d USDC for this row\.$/m);
  assert.match(output, /^1 payout created\. 2 rows not sent\.$/m);
  assert.match(output, /^Run the same command again to continue\. No row is paid twice\.$/m);
  assert.deepEqual(
    read(path.join(desk2.folder, 'large.results.csv')).map(({ status, error }) => [status, error]),
    [
      ['processing', ''],
      ['not_sent', 'insufficient_funds'],
      ['not_sent', 'insufficient_funds'],
    ],
  );
  assert.equal((await payments()) - before, 1);
});

test('with --wait, the result file has the last status of each payout', async () => {
  const { file, results } = fileOf('waited', [payoutRow(41), payoutRow(42, { account_number: '12340000' })]);
  const { code, json, output } = await desk.run('payouts', 'import', file, '--wait', '--json');
  assert.equal(code, 1, output);
  assert.deepEqual(valueAt(json, 'statuses'), { completed: 1, failed: 1 });
  assert.deepEqual(
    read(results).map(({ status, error }) => [status, error !== '']),
    [
      ['completed', false],
      ['failed', true],
    ],
  );
});

test('a run that is faster than the rate limit pauses, and every row is paid once', async () => {
  await world.restartApi(defaultLimits);
  const before = await payments();
  const rows = Array.from({ length: 120 }, (_, number) => payoutRow(200 + number));
  const { file } = fileOf('fast', rows);
  const { code, json, output } = await desk.run('payouts', 'import', file, '--rate', '1000', '--json');
  await world.restartApi();
  assert.deepEqual([code, valueAt(json, 'created'), valueAt(json, 'refused')], [0, 120, 0], output);
  assert.equal((await payments()) - before, 120);
});

test('a file of another program is not taken for the result file', async () => {
  const { file } = fileOf('other', [payoutRow(31)]);
  const { file: taken } = fileOf('taken', [payoutRow(32)]);
  const { code, output } = await desk.run('payouts', 'import', file, '--results', taken);
  assert.equal(code, 65);
  assert.match(output, /is no result file of this command\. Name another with --results\.$/);
});

test('Ctrl-C ends a run where it can be continued', async () => {
  const rows = Array.from({ length: 30 }, (_, number) => payoutRow(100 + number));
  const { file, results } = fileOf('long', rows);
  const before = await payments();
  const child = desk.start('payouts', 'import', file, '--rate', '5', '--json');

  await eventually('some rows are done', async () => existsSync(results) && read(results).length >= 3);
  child.kill('SIGINT');
  assert.equal((await child.exited).code, 130, child.output());
  const sent = read(results).filter(({ payout_id: id }) => id !== '').length;
  assert.equal((await payments()) - before, sent);
  const { code, json } = await desk.run('payouts', 'import', file, '--json');
  assert.deepEqual([code, valueAt(json, 'created')], [0, 30 - sent]);
  assert.equal((await payments()) - before, 30);
});
