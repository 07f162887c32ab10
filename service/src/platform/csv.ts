// The one writer of CSV: RFC 4180, lines that end with CRLF, UTF-8. A spreadsheet runs a cell that begins like a formula, so
// a text that does is defused in the way OWASP recommends: an apostrophe before it makes it a text again.

/** A number of ours: written as it is, so that a spreadsheet can add it up, whatever its sign. */
export interface CsvNumber {
  readonly number: string;
}

/** A string is somebody's text, and never trusted. */
export type CsvCell = string | CsvNumber;

const numberForm = /^-?\d+(\.\d+)?$/;

/** The only way past the defusing: what has not the form of a number does not get there. */
export function csvNumber(number: string): CsvNumber {
  if (!numberForm.test(number)) throw new TypeError('a cell that was to be a number is none');
  return { number };
}

/**
 * What a spreadsheet may take for a formula: the signs, also in full width, after spaces and what can not be seen or not; a
 * tab and a line break, which it may skip. Apostrophes before them count too: taking one away gives back what was meant.
 */
const formulaStart = /^'*(?:[\t\r\n]|[\s\p{Cf}\p{Cc}]*[=+\-@＝＋－＠])/u;

/**
 * A spreadsheet that expects semicolons or tabs splits our lines there, also inside quotes that do not begin its cell, and a
 * line break then ends one. What follows would be a cell of its own.
 */
const formulaWithin = /([;\t\r\n])(?=['"\s\p{Cf}\p{Cc}]*[=+\-@＝＋－＠])/gu;

/** Would turn what stands behind it round, also in the next cell. */
const directionMarks = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const mustBeQuoted = /[",\r\n]|^\s|\s$/;

function defuse(text: string): string {
  const within = text.replaceAll(formulaWithin, "$1'");
  return formulaStart.test(text) ? `'${within}` : within;
}

function written(cell: CsvCell): string {
  if (typeof cell !== 'string') return cell.number;
  const text = cell.replaceAll(directionMarks, '');
  const defused = defuse(text);
  // Quoted wherever it is defused: no reader may then look for a separator in it.
  const isQuoted = defused !== text || mustBeQuoted.test(text);
  return isQuoted ? `"${defused.replaceAll('"', '""')}"` : defused;
}

/** One line of a file, with its end. */
export function csvLine(cells: readonly CsvCell[]): string {
  // One empty cell alone would be an empty line, which many readers skip.
  return cells.length === 1 && cells[0] === '' ? '""\r\n' : `${cells.map(written).join(',')}\r\n`;
}
