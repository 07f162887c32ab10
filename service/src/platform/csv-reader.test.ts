import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { parseCsv } from './csv-reader.ts';

test('cells are read with or without quotes, and lines with either ending', () => {
  assert.deepEqual(parseCsv('a,b\r\n1,"x, ""y""\nz"\n'), [
    ['a', 'b'],
    ['1', 'x, "y"\nz'],
  ]);
  assert.deepEqual(parseCsv('\uFEFFa,\n,b'), [
    ['a', ''],
    ['', 'b'],
  ]);
  assert.deepEqual(parseCsv('a,'), [['a', '']]);
  assert.deepEqual(parseCsv(''), []);
});

test('what is not CSV is refused whole', () => {
  for (const text of ['"a', 'a"b', '"a"b', 'a,"b\n', 'a\rb']) assert.equal(parseCsv(text), undefined, text);
});

const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;

test('what is written as CSV is read as it was', () => {
  const table = fc.array(fc.array(fc.string(), { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(table, (rows) => {
      const text = rows.map((row) => `${row.map(quoted).join(',')}\r\n`).join('');
      assert.deepEqual(parseCsv(text), rows);
    }),
  );
});
