import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { listAt, textAt, valueAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { dayOf } from '../../../src/platform/london-day.ts';
import { monthEnd, monthOf } from '../../../src/platform/london-month.ts';
import { createBilledPartners } from '../../billing/billed-partners.ts';
import { createTestClock } from '../../harness/clock.ts';
import { createTestDatabase } from '../../harness/database.ts';
import { findBillingDifferences } from '../../simulate/billing.ts';
import { asSecondPerson, kelpieAdmin, type CommandResult } from './kelpie-admin.ts';

// Operators collect the invoices of a month: what arrived at our bank is recorded, what was wrong is voided.

const database = await createTestDatabase();
const clock = createTestClock();
const now = new Date();
const period = monthOf(now);
clock.move(monthEnd(period).getTime() - now.getTime() + 60 * 60_000);
const today = dayOf(new Date(monthEnd(period).getTime() + 60 * 60_000));
const partners = await createBilledPartners(database, 5, now);
const slugs = partners.map(({ partnerId }) => `p-${partnerId.slice(-12)}`);

const folder = mkdtempSync(path.join(tmpdir(), 'kelpie-transfers-'));
after(() => rmSync(folder, { recursive: true }));

async function run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<CommandResult> {
  return kelpieAdmin(database, [...args, '--json'], { KELPIE_TEST_CLOCK_FILE: clock.file, ...env });
}

async function refused(args: readonly string[], code: string): Promise<void> {
  const result = await run(args);
  assert.deepEqual([result.code, textAt(result.json(), 'error.code')], [2, code], result.said);
}

// Five invoices of 15.00 each, KP-000001 to KP-000005.
assert.equal((await run(['invoices', 'run', '--period', period])).code, 0);

const paying = (amount: string, reference: string): string[] => [
  '--amount',
  amount,
  '--received',
  today,
  '--bank-reference',
  reference,
];

test('a payment is recorded once and shown with what is left, and one that is too large is refused', async () => {
  const part = await run(['invoices', 'pay', 'KP-000001', ...paying('10.00', 'FP-1')]);
  assert.equal(part.code, 0, part.said);
  assert.equal(textAt(part.data(), 'left_pence'), '500');
  await refused(['invoices', 'pay', 'KP-000001', ...paying('10.00', 'FP-1')], 'nothing_to_do');
  await refused(['invoices', 'pay', 'KP-000002', ...paying('10.00', 'FP-1')], 'reference_used');
  await refused(['invoices', 'pay', 'KP-000001', ...paying('5.01', 'FP-2')], 'too_much');
  await refused(['invoices', 'void', 'KP-000001', '--reason', 'a test'], 'invoice_not_open');
  const shown = await kelpieAdmin(database, ['invoices', 'show', 'KP-000001'], { KELPIE_TEST_CLOCK_FILE: clock.file });
  assert.match(
    shown.said,
    /10\.00 GBP {2}received \d{4}-\d\d-\d\d, FP-1, recorded by ada@kelpie\.example\n +5\.00 GBP {2}left to pay/,
  );
  assert.equal((await run(['invoices', 'pay', 'KP-000001', ...paying('5.00', 'FP-2')])).code, 0);
  await refused(['invoices', 'pay', 'KP-000001', ...paying('5.00', 'FP-3')], 'invoice_not_open');
  const paid = (await run(['invoices', 'show', '1'])).data();
  assert.deepEqual([textAt(paid, 'status'), textAt(paid, 'paid_on')], ['paid', today]);
});

test('an invoice is voided by two operators', async () => {
  const proposed = await run(['invoices', 'void', 'KP-000002', '--reason', 'a test']);
  assert.equal(proposed.code, 0, proposed.said);
  const id = textAt(proposed.data(), 'id');
  await refused(['approvals', 'approve', id], 'second_operator_required');
  const approved = await run(['approvals', 'approve', id], asSecondPerson(database));
  assert.equal(approved.code, 0, approved.said);
  assert.equal(textAt((await run(['invoices', 'show', 'KP-000002'])).data(), 'status'), 'void');
  await refused(['invoices', 'void', 'KP-000002', '--reason', 'a test'], 'invoice_not_open');
});

test('an invoice that was paid since it was proposed to void it stays paid, and the proposal ends', async () => {
  const id = textAt((await run(['invoices', 'void', 'KP-000003', '--reason', 'a test'])).data(), 'id');
  assert.equal((await run(['invoices', 'pay', 'KP-000003', ...paying('15.00', 'FP-4')])).code, 0);
  const approved = await run(['approvals', 'approve', id], asSecondPerson(database));
  assert.deepEqual([approved.code, textAt(approved.json(), 'error.code')], [2, 'revision_changed'], approved.said);
  assert.equal(textAt((await run(['approvals', 'show', id])).data(), 'outcome'), 'refused');
});

/** The results of the lines of a file, in order, and how the command ended. */
async function match(file: string, ...more: string[]): Promise<[code: number | null, results: string[]]> {
  const matched = await run(['invoices', 'match', file, ...more]);
  return [matched.code, listAt(matched.data(), 'lines').map((line) => textAt(line, 'result'))];
}

const lines = [
  `${today},15.00,"Invoice KP-000004, thank you",FP-5`,
  `${today},15.00,kp000005,FP-6`,
  `${today},15.00,KP-000005,FP-7`,
  `${today},14.99,KP-000002,FP-8`,
  `${today},15.00,rent,FP-9`,
  `${today},15.00,KP-000099,FP-10`,
  `${today},30.00,KP-000004 KP-000005,FP-11`,
  `${today},15.00,KP-000003,FP-4`,
  `${today},5.00,KP-000001,FP-1`,
];

test('transfers are matched by the invoice number, each is recorded once, and the rest is left for a person', async () => {
  const file = path.join(folder, 'transfers.csv');
  writeFileSync(file, `date,amount,reference,transfer_id\r\n${lines.join('\r\n')}\r\n`);
  const rest = [
    'not_open',
    'not_open',
    'no_invoice',
    'no_invoice',
    'several_invoices',
    'already_recorded',
    'recorded_otherwise',
  ];
  // A dry run undoes each line, so that the second transfer for one invoice would be recorded too.
  assert.deepEqual(await match(file, '--dry-run'), [1, ['matched', 'matched', 'matched', ...rest.slice(1)]]);
  const both = await Promise.all([match(file), match(file)]);
  for (const [code, results] of both) assert.deepEqual([code, results.slice(3)], [1, rest.slice(1)]);
  const firsts = both.flatMap(([, results]) => results.slice(0, 2));
  assert.deepEqual(firsts.toSorted(), ['already_recorded', 'already_recorded', 'matched', 'matched']);
  const again = await match(file);
  assert.deepEqual(again, [1, ['already_recorded', 'already_recorded', ...rest]]);
  const people = await kelpieAdmin(database, ['invoices', 'match', file], { KELPIE_TEST_CLOCK_FILE: clock.file });
  assert.match(people.said, /2 {5}already recorded {3,}KP-000004/);
  assert.match(people.said, /0 transfers recorded, 0\.00 GBP\. 6 lines left for a person\./);
  assert.doesNotMatch(people.said, /thank you|rent/);
});

test('a file that pays what is owed ends with 0', async () => {
  const file = path.join(folder, 'repeated.csv');
  writeFileSync(file, `date,amount,reference,transfer_id\n${lines[0]}\n${lines[1]}\n`);
  assert.deepEqual(await match(file), [0, ['already_recorded', 'already_recorded']]);
});

test('a partner shows what it owes and its credit', async () => {
  const shown = await run(['partners', 'show', slugs[0] ?? '']);
  assert.deepEqual(valueAt(shown.data(), 'outstanding'), { unpaid_invoices: 0, unpaid_pence: '0', credit_pence: '0' });
});

test('after all of that the ledger balances, and every payment has its audit entry', async () => {
  assert.deepEqual(await findBillingDifferences(database), []);
  const [{ payments, entries } = { payments: 0, entries: 0 }] = await asAdmin(database.superuserUrl, async (client) => {
    const { rows } = await client.query<{ payments: number; entries: number }>(
      `select (select count(*)::int from kelpie.invoice_payments) as payments,
         (select count(*)::int from kelpie.audit_log where action = 'invoice.pay') as entries`,
    );
    return rows;
  });
  assert.deepEqual([payments, entries], [5, 5]);
});
