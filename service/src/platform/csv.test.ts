import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { readCsv } from '../../test/harness/read-csv.ts';
import { csvLine, csvNumber, type CsvCell } from './csv.ts';

/** What OWASP lists, and how a reader of ours gets back what was meant. */
const begins = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];
const armed = /^[\s\p{Cf}\p{Cc}]*[=+\-@＝＋－＠]|^[\t\r\n]/u;

function meant(cell: string): string {
  return cell.startsWith("'") && armed.test(cell.replace(/^'+/, '')) ? cell.slice(1) : cell;
}

const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: fc.constantFrom(...begins, "'", '"', ',', ';', ' ', 'a', '1', '\u{feff}', '\u{200b}') }),
);

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
