import { writeFileSync } from 'node:fs';

const columns = [
  'idempotency_key',
  'amount_gbp',
  'reference',
  'first_name',
  'last_name',
  'line1',
  'city',
  'postal_code',
  'bank_name',
  'sort_code',
  'account_number',
] as const;

export type Row = Readonly<Record<(typeof columns)[number], string>>;

export function payoutRow(number: number, change: Partial<Row> = {}): Row {
  return {
    idempotency_key: `payroll-${String(number).padStart(5, '0')}`,
    amount_gbp: '1.00',
    reference: `Pay ${number}`,
    first_name: 'Ada',
    last_name: `Byron ${number}`,
    line1: '1 High Street',
    city: 'Leeds',
    postal_code: 'LS1 1AA',
    bank_name: 'Example Bank',
    sort_code: '040004',
    account_number: String(10_000_001 + 2 * number),
    ...change,
  };
}

function quoted(cell: string): string {
  return /[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** As a spreadsheet writes it. */
export function writePayoutFile(file: string, rows: readonly Row[]): void {
  const lines = rows.map((row) => columns.map((name) => quoted(row[name])).join(','));
  writeFileSync(file, `${[columns.join(','), ...lines].join('\r\n')}\r\n`);
}
