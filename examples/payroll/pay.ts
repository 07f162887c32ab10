// node pay.ts payroll.csv 2026-11: pays each row once, and writes payroll.csv.results.csv. Start it again after any interruption.
import { readFileSync, writeFileSync } from 'node:fs';
import { createKelpie, KelpieError, type CreatePayoutRequest } from '@kelpie/sdk';
import { parse } from 'csv-parse/sync';

const [, , file = '', month = ''] = process.argv;
const columns = [
  'employee',
  'first_name',
  'last_name',
  'line1',
  'city',
  'postal_code',
  'bank_name',
  'sort_code',
  'account_number',
  'amount_gbp',
] as const;
type Row = Record<(typeof columns)[number], string>;

/** All rows, before the first payment: a file that is wrong pays nothing. */
function readRows(): Row[] {
  if (file === '' || !/^\d{4}-\d{2}$/.test(month)) throw new Error('Usage: node pay.ts FILE YYYY-MM');
  const rows = parse<Row>(readFileSync(file), { columns: true, trim: true });
  rows.forEach((row, place) => {
    const missing = columns.filter((name) => !row[name]);
    if (missing.length > 0) throw new Error(`Row ${place + 1}: ${missing.join(', ')} missing`);
  });
  if (new Set(rows.map(({ employee }) => employee)).size < rows.length) throw new Error('An employee is listed twice');
  return rows;
}

function orderFor(row: Row): CreatePayoutRequest {
  const { first_name, last_name, line1, city, postal_code, bank_name, sort_code, account_number } = row;
  return {
    amount_gbp: row.amount_gbp,
    reference: `Pay ${month} ${row.employee}`,
    recipient: {
      first_name,
      last_name,
      address: { line1, city, postal_code },
      bank: { bank_name, sort_code, account_number },
    },
  };
}

const kelpie = createKelpie();

/** The key says which payment this is: the same employee and month are never paid twice. */
async function pay(row: Row): Promise<string> {
  try {
    const idempotencyKey = `payroll-${month}-${row.employee}`;
    const { id, status } = await kelpie.payouts.createAndWait(orderFor(row), { idempotencyKey });
    return `${row.employee},${status},${id}`;
  } catch (error) {
    if (!(error instanceof KelpieError)) throw error;
    return `${row.employee},${error.code},`;
  }
}

const atOnce = 4;
const waiting = readRows().entries();
const results: string[] = [];
await Promise.all(
  Array.from({ length: atOnce }, async () => {
    for (const [place, row] of waiting) {
      results[place] = await pay(row);
      console.log(results[place]);
    }
  }),
);
writeFileSync(`${file}.results.csv`, `employee,status,payout\n${results.join('\n')}\n`);
