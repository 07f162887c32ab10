import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OperatorError } from '../../platform/operator-error.ts';
import { invoiceNumbersIn, readTransfers } from './incoming-transfers.ts';

const header = 'date,amount,reference,transfer_id\n';

test('a transfer has its day, its amount in pence, what the payer wrote, and the bank’s id', () => {
  assert.deepEqual(readTransfers(`${header}2026-12-03,1234.56,"KP-000042, thanks",FP-1\r\n\n`), [
    { line: 2, receivedOn: '2026-12-03', amount: 123_456n, reference: 'KP-000042, thanks', bankReference: 'FP-1' },
  ]);
});

test('a file with a line that can not be read is refused whole, and the line is named', () => {
  const good = '2026-12-03,1.00,KP-1,FP-1\n';
  for (const [line, says] of [
    ['2026-02-30,1.00,KP-1,FP-2', /Line 3 .* date/],
    ['03/12/2026,1.00,KP-1,FP-2', /Line 3 .* date/],
    ['2026-12-03,-1.00,KP-1,FP-2', /Line 3 .* amount/],
    ['2026-12-03,0.00,KP-1,FP-2', /Line 3 .* amount/],
    ['2026-12-03,"1,000.00",KP-1,FP-2', /Line 3 .* amount/],
    ['2026-12-03,1.00,KP-1,', /Line 3 .* transfer_id/],
    ['2026-12-03,1.00,KP-1', /Line 3 .* 3 cells instead of 4/],
  ] as const)
    assert.throws(
      () => readTransfers(header + good + line),
      (error) => error instanceof OperatorError && says.test(error.message) && error.code === 'file_wrong',
      line,
    );
  assert.throws(() => readTransfers('a,b\n1,2'), /first line is date,amount,reference,transfer_id/);
  assert.throws(() => readTransfers(`${header}"`), /first line is/);
});

test('an invoice is named as people and banks write it, and a part of another word is none', () => {
  for (const [text, numbers] of [
    ['KP-000042', [42n]],
    ['inv kp000042 nov', [42n]],
    ['KP 42', [42n]],
    ['KP-000042 KP-000043', [42n, 43n]],
    ['KP-000042/KP42', [42n]],
    ['XKP-000042', []],
    ['KP-0', []],
    ['42', []],
    ['', []],
  ] as const)
    assert.deepEqual(invoiceNumbersIn(text), [...numbers], text);
});
