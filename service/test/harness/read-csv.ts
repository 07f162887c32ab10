import assert from 'node:assert/strict';

/** A reader by RFC 4180 and nothing else: it knows nothing of how ours writes, and refuses what the RFC has no place for. */
export function readCsv(text: string): string[][] {
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y;
  const records: string[][] = [];
  let record: string[] = [];
  while (cell.lastIndex < text.length) {
    const at = cell.lastIndex;
    const [, quoted, plain, end] = cell.exec(text) ?? [];
    assert(end !== undefined, `not a cell: ${JSON.stringify(text.slice(at, at + 40))}`);
    record.push(quoted?.replaceAll('""', '"') ?? plain ?? '');
    if (end === ',') continue;
    records.push(record);
    record = [];
  }
  assert.deepEqual(record, [], 'the last line has no end');
  return records;
}

/** The same by the names in its first line. */
export function readNamedCsv(text: string): Record<string, string>[] {
  const [names = [], ...records] = readCsv(text);
  return records.map((record) => Object.fromEntries(names.map((name, at) => [name, record[at] ?? ''])));
}
