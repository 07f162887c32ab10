import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import * as fc from 'fast-check';
import { openResults, type RowResult } from './results-file.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'kelpie-results-'));
after(() => rmSync(folder, { recursive: true }));
const file = path.join(folder, 'payroll.results.csv');
const fingerprint = '0123456789abcdef0123456789abcdef';

function resultOf(row: number, change: Partial<RowResult> = {}): RowResult {
  return { row, key: `payroll-${row}`, payoutId: `id-${row}`, status: 'processing', error: '', fingerprint, ...change };
}

function writeThree(): void {
  rmSync(file, { force: true });
  const results = openResults(file);
  for (const row of [2, 3, 4]) results.append(resultOf(row));
  results.close();
}

test('a file that was cut off anywhere gives back the whole lines, and takes new ones', () => {
  writeThree();
  const { length } = readFileSync(file);
  for (let bytes = 0; bytes < length; bytes += 3) {
    writeThree();
    truncateSync(file, bytes);
    const whole = Math.max(0, readFileSync(file, 'utf8').split('\r\n').length - 2);
    const results = openResults(file);
    assert.equal(results.known.size, whole);
    results.append(resultOf(9));
    results.close();
    const again = openResults(file);
    assert.deepEqual([...again.known.keys()].at(-1), 'payroll-9');
    assert.equal(again.known.size, whole + 1);
    again.close();
  }
});

test('blocks of zeros, as a power cut leaves them, are no results', () => {
  writeThree();
  appendFileSync(file, `${'\0'.repeat(512)}\r\n`);
  const results = openResults(file);
  assert.equal(results.known.size, 3);
  results.close();
});

test('the last result of a key counts, and the end has one line per row in order', () => {
  rmSync(file, { force: true });
  const results = openResults(file);
  results.append(resultOf(3, { payoutId: '', status: 'refused', error: 'rate_limited: later' }));
  results.append(resultOf(2));
  results.append(resultOf(3));
  results.finish([resultOf(2), resultOf(3)]);
  assert.deepEqual(readFileSync(file, 'utf8').split('\r\n'), [
    'row,idempotency_key,payout_id,status,error,fingerprint',
    `2,payroll-2,id-2,processing,,${fingerprint}`,
    `3,payroll-3,id-3,processing,,${fingerprint}`,
    '',
  ]);
});

test('a file of another program is neither read nor overwritten', () => {
  writeFileSync(file, 'name,amount\r\nAda,1\r\n');
  assert.throws(() => openResults(file), { code: 'results_taken' });
  assert.equal(readFileSync(file, 'utf8'), 'name,amount\r\nAda,1\r\n');
});

test('no text begins a formula in the file, and each is read back as it was', () => {
  const oneLine = fc.string({ unit: 'binary' }).map((text) => text.replaceAll(/[\r\n]/g, ' ').trim());
  const risky = fc.oneof(
    oneLine,
    oneLine.map((text) => `=${text}`),
    oneLine.map((text) => `'+${text}`),
  );
  fc.assert(
    fc.property(risky, (error) => {
      rmSync(file, { force: true });
      const results = openResults(file);
      results.append(resultOf(2, { error }));
      results.close();
      const line = readFileSync(file, 'utf8').split('\r\n')[1] ?? '';
      assert.doesNotMatch(line, /(^|,)"?\s*[=+\-@]/);
      const again = openResults(file);
      assert.equal(again.known.get('payroll-2')?.error, error);
      again.close();
    }),
    { numRuns: 40 },
  );
});
