import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { readCsv } from '../../test/harness/read-csv.ts';
import { csvLine, csvNumber, type CsvCell } from './csv.ts';

/** What OWASP lists, and how a reader of ours gets back what was meant. */
const begins = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];
const armed = /^[\s\p{Cf}\p{Cc}]*[=+\-@＝＋－＠]|^[\t\r\n]/u;

const defusedWithin = /([;\t\r\n])'(?=['"\s\p{Cf}\p{Cc}]*[=+\-@＝＋－＠])/gu;

function meant(written: string): string {
  const cell = written.replaceAll(defusedWithin, '$1');
  return cell.startsWith("'") && armed.test(cell.replace(/^'+/, '')) ? cell.slice(1) : cell;
}

/** Direction marks are left out on purpose. */
const isKept = (cell: string): boolean => !/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/.test(cell);
const anyText = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: fc.constantFrom(...begins, "'", '"', ',', ';', ' ', 'a', '1', '\u{feff}', '\u{200b}') }),
);
const text = anyText.filter(isKept);

test('whatever is written is read back as it was meant, cell by cell and line by line', () => {
  fc.assert(
    fc.property(fc.array(fc.array(text, { minLength: 1 }), { maxLength: 5 }), (lines) => {
      const read = readCsv(lines.map(csvLine).join(''));
      assert.deepEqual(
        read.map((record) => record.map(meant)),
        lines,
      );
    }),
    { numRuns: 2_000 },
  );
});

test('no text is left that a spreadsheet would take for a formula', () => {
  fc.assert(
    fc.property(text, (cell) => {
      const [[read = ''] = []] = readCsv(csvLine([cell]));
      assert(!armed.test(read), JSON.stringify(read));
    }),
    { numRuns: 5_000 },
  );
});

test('no text becomes a formula in a spreadsheet that splits lines at semicolons or tabs', () => {
  fc.assert(
    fc.property(fc.array(text, { minLength: 2, maxLength: 4 }), (cells) => {
      // As the worst reader does it: quotes count for nothing.
      for (const part of csvLine(['id', ...cells]).split(/[;\t\r\n]/))
        assert.doesNotMatch(part, /^["\s\p{Cf}\p{Cc}]*[=+\-@＝＋－＠]/u);
    }),
    { numRuns: 5_000 },
  );
});

test('a formula behind a semicolon gets an apostrophe', () => {
  assert.equal(csvLine(['x;=1+2', 'x; y', 'x;"@y']), `"x;'=1+2",x; y,"x;'""@y"\r\n`);
});

test('no text turns what stands behind it round', () => {
  assert.equal(csvLine(['Ada\u202egpj.exe', '\u2066x\u2069', 'a\u200e\u200f\u061cb']), 'Adagpj.exe,x,ab\r\n');
});

for (const begin of begins) {
  test(`a text that begins with ${JSON.stringify(begin)} gets an apostrophe, inside quotes`, () => {
    assert.equal(csvLine([`${begin}HYPERLINK("x")`]), `"'${begin}HYPERLINK(""x"")"\r\n`);
  });
}

test('a number of ours stays a number, also below zero; the same as a text does not', () => {
  assert.equal(csvLine([csvNumber('-12.00'), '-12.00', csvNumber('3'), '3']), `-12.00,"'-12.00",3,3\r\n`);
});

test('what is no number can not be written as one', () => {
  for (const wrong of ['', '-', '=1+1', '+1', '1e3', '1,000.00', '0x1', ' 1', '1\n', '--1', 'NaN', '１'])
    assert.throws(() => csvNumber(wrong), TypeError, wrong);
});

test('only what needs quotes has them', () => {
  const cells: CsvCell[] = ['plain', 'a b', 'é', 'a,b', 'say "so"', 'two\r\nlines', ' edge', '', "'Tis"];
  assert.equal(csvLine(cells), `plain,a b,é,"a,b","say ""so""","two\r\nlines"," edge",,'Tis\r\n`);
  assert.equal(csvLine(['']), '""\r\n');
});
