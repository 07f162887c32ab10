// Reads CSV (RFC 4180) that others write: cells may be quoted, lines end with CRLF or LF.

/** Undefined for what is not CSV: a quote that is never closed, or one in the middle of a cell. */
export function parseCsv(text: string): string[][] | undefined {
  const rows: string[][] = [];
  let row: string[] = [];
  // A cell with what ends it: a comma, the end of a line, or that of the text.
  const cellForm = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/y;
  const source = text.replace(/^\uFEFF/, '');
  while (cellForm.lastIndex < source.length) {
    const [, quoted, plain = '', end] = cellForm.exec(source) ?? [];
    if (end === undefined) return undefined;
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === ',' && cellForm.lastIndex === source.length) row.push('');
    if (end === ',' && cellForm.lastIndex < source.length) continue;
    rows.push(row);
    row = [];
  }
  return rows;
}
