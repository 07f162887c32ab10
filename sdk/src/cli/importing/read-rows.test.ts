import assert from 'node:assert/strict';
import { test } from 'node:test';
import openapi from '../../../../openapi.json' with { type: 'json' };
import { columns } from './columns.ts';
import { formatPence, readRows, type Fault } from './read-rows.ts';

const amounts = { leastPence: 100n, mostPence: 2_000_000n };
const good: Readonly<Record<string, string>> = {
  idempotency_key: 'payroll-001',
  amount_gbp: '25.00',
  first_name: 'Ada',
  last_name: 'Byron',
  line1: '1 High Street',
  city: 'Leeds',
  postal_code: 'LS1 1AA',
  bank_name: 'Example Bank',
  sort_code: '040004',
  account_number: '12345678',
};

const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;

function fileOf(rows: readonly Readonly<Record<string, string>>[], lineEnd = '\n'): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = rows.map((row) => names.map((name) => quoted(row[name] ?? '')).join(','));
  return [names.join(','), ...lines, ''].join(lineEnd);
}

const read = (text: string) => readRows(Buffer.from(text), amounts);
const said = ({ faults }: { faults: readonly Fault[] }): string[] =>
  faults.map(({ line, column, problem }) => `${line} ${column ?? '-'} ${problem}`);

test('a row becomes the order that the API takes, with sort codes as they are printed', () => {
  const { rows, faults } = read(
    fileOf([{ ...good, sort_code: ' 04-00-04 ', type: 'business', email: '', line2: 'Flat 2' }]),
  );
  assert.deepEqual(faults, []);
  assert.deepEqual(rows[0]?.order, {
    amount_gbp: '25.00',
    recipient: {
      type: 'business',
      first_name: 'Ada',
      last_name: 'Byron',
      address: { line1: '1 High Street', line2: 'Flat 2', city: 'Leeds', postal_code: 'LS1 1AA' },
      bank: { bank_name: 'Example Bank', sort_code: '040004', account_number: '12345678' },
    },
  });
  assert.deepEqual([rows[0]?.line, rows[0]?.key, rows[0]?.pence], [2, 'payroll-001', 2_500n]);
});

test('every fault of a row is found, each on its own', () => {
  const bad = {
    idempotency_key: 'short',
    amount_gbp: '25',
    reference: 'x'.repeat(121),
    type: 'person',
    first_name: 'é'.repeat(81),
    last_name: ' ',
    email: 'ada',
    region: 'x'.repeat(81),
    sort_code: '40004',
    account_number: '1.23E+07',
  };
  assert.deepEqual(
    said(read(fileOf([{ ...good, ...bad }]))).map((text) => text.split(' ').slice(0, 2).join(' ')),
    [
      '2 idempotency_key',
      '2 amount_gbp',
      '2 reference',
      '2 type',
      '2 first_name',
      '2 last_name',
      '2 email',
      '2 region',
      '2 sort_code',
      '2 account_number',
    ],
  );
  assert.deepEqual(
    said(read(fileOf([{ ...good, first_name: '😀'.repeat(80) }]))),
    [],
    'characters are counted as the API does',
  );
});

test('a fault has the line of the file, also after quoted line breaks, empty lines and CRLF', () => {
  for (const lineEnd of ['\n', '\r\n']) {
    const rows = [
      { ...good, line1: `1 High Street${lineEnd}Leeds` },
      { ...good, idempotency_key: 'payroll-002', city: '' },
    ];
    const text = fileOf(rows, lineEnd);
    assert.deepEqual(said(read(text)), ['4 city is required']);
    const [header = '', ...rest] = text.split(lineEnd);
    assert.deepEqual(said(read([header, '', ...rest].join(lineEnd))), ['5 city is required']);
  }
});

test('columns that are unknown, missing or twice are named, and other separators explained', () => {
  const { account_number: _, ...short } = good;
  assert.deepEqual(
    said(read(fileOf([{ ...short, acount_number: '12345678' }]))).map((text) => text.slice(0, 45)),
    ['1 acount_number is not a column. Use idempote', '1 account_number is a required column, and is'],
  );
  assert.match(
    said(read(fileOf([good]).replace('city', 'line1'))).join('\n'),
    /1 line1 is there twice\n1 city is a required/,
  );
  assert.deepEqual(said(read(Object.keys(good).join(';'))), ['1 - separate the columns by commas']);
});

test('a file that is empty, broken or in another encoding is refused with a reason', () => {
  assert.deepEqual(said(read('')), ['1 - the file is empty']);
  assert.deepEqual(said(read(`${Object.keys(good).join(',')}\n`)), ['1 - no row follows the header']);
  assert.match(
    said(read(fileOf([good]).replace('"Ada"', '"Ada" Byron'))).join(),
    /^2 - a quotation mark is out of place/,
  );
  assert.match(
    said(read(fileOf([good]).replace('"12345678"', '"12345678'))).join(),
    /a quotation mark is out of place/,
  );
  assert.match(said(read(fileOf([good]).replace('"12345678"', '"12345678","x"'))).join(), /^2 - has 11 columns/);
  assert.match(said(readRows(Buffer.from('Zo\xEB', 'latin1'), amounts)).join(), /not UTF-8/);
  assert.deepEqual(said(read(`\uFEFF${fileOf([good])}`)), [], 'a byte order mark is no fault');
});

test('amounts outside the limits of the account are faults', () => {
  for (const amount of ['0.99', '20000.01', '999999999999.99'])
    assert.deepEqual(said(read(fileOf([{ ...good, amount_gbp: amount }]))), [
      '2 amount_gbp must be from 1.00 to 20000.00',
    ]);
  assert.equal(formatPence(5n), '0.05');
});

function fingerprint(change: object): string {
  return read(fileOf([{ ...good, ...change }])).rows[0]?.fingerprint ?? '';
}

test('a fingerprint changes with the order and with the key', () => {
  assert.equal(fingerprint({}), fingerprint({ sort_code: '04 00 04' }));
  const all = [{}, { amount_gbp: '25.01' }, { account_number: '12345679' }, { idempotency_key: 'payroll-002' }].map(
    fingerprint,
  );
  assert.equal(new Set(all).size, 4);
});

test('the columns have the rules of the API', () => {
  const { CreatePayoutRequest: order, Recipient: recipient } = openapi.components.schemas;
  const { address, bank, ...own } = recipient.properties;
  const described: Record<string, { type: string; maxLength?: number; pattern?: string }> = {
    amount_gbp: order.properties.amount_gbp,
    reference: order.properties.reference,
    ...own,
    ...address.properties,
    ...bank.properties,
  };
  const required = new Set(['amount_gbp', ...recipient.required, ...address.required, ...bank.required]);
  assert.deepEqual(
    columns
      .map(({ name }) => name)
      .filter((name) => name !== 'idempotency_key')
      .toSorted(),
    Object.keys(described).toSorted(),
  );
  for (const { name, isRequired, problemOf } of columns.slice(1)) {
    assert.equal(isRequired, required.has(name), name);
    const { maxLength, pattern } = described[name] ?? {};
    if (maxLength !== undefined && name !== 'email')
      assert.notEqual(problemOf('x'.repeat(maxLength + 1)), undefined, name);
    if (maxLength !== undefined && name !== 'email') assert.equal(problemOf('x'.repeat(maxLength)), undefined, name);
    if (pattern !== undefined && good[name] !== undefined) assert(new RegExp(pattern, 'u').test(good[name]), name);
  }
});
