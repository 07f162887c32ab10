import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import * as fc from 'fast-check';
import { createLeftMonths } from '../../src/app/verification/left-months.ts';
import { verifyDay } from '../../src/app/verification/verify-books.ts';
import { openArchive } from '../../src/app/wiring/archive.ts';
import { createDirectoryStore } from '../../src/archive/index.ts';
import { readWithArchivedCharges } from '../../src/billing/archived/charges.ts';
import { listCharges, type Place } from '../../src/billing/invoices/store.ts';
import { readMovements, readStatement } from '../../src/billing/statement/statement.ts';
import { dayAfter, spanFrom, verifyLedger } from '../../src/ledger/index.ts';
import { createNameOldPayouts } from '../../src/payouts/index.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { openPool } from '../../src/platform/database/pool.ts';
import { createSingleCalls } from '../../src/platform/database/single-call.ts';
import { inReadOnlyTransaction, type PartnerContext } from '../../src/platform/database/transaction.ts';
import { nilId } from '../../src/platform/ids.ts';
import { monthEnd, monthStart } from '../../src/platform/london-month.ts';
import { createLogger } from '../../src/platform/logging.ts';
import { kelpieAdmin } from '../app/commands/kelpie-admin.ts';
import { makeMonths } from '../billing/booked-wallets.ts';
import { createTestDatabase } from '../harness/database.ts';
import { createPartners } from '../harness/partners.ts';
import { anyPayouts, plantBooks } from './planted-books.ts';

/** Two of them end in an hour that is the next month's in London. */
const months = ['2025-01', '2025-02', '2025-03', '2025-04', '2025-05', '2025-06'];
const around = ['2024-12', ...months, '2025-07', '2025-08'];
const partnersEach = 4;

const database = await createTestDatabase();
await makeMonths(database, { from: '2024-12-01Z', months: 25 });
const logger = createLogger('test', 'silent');
const open = (url: string) =>
  openPool({ url, connections: 2, applicationName: 'test', logger, pace: 'unhurried' as const });
const [pool, reader] = [open(database.serviceUrl), open(database.readerUrl)];
after(async () => Promise.all([pool.end(), reader.end()]));
const calls = createSingleCalls(pool, async () => undefined);
const folder = mkdtempSync(path.join(tmpdir(), 'kelpie-archive-'));
after(() => rmSync(folder, { recursive: true }));
const env = { KELPIE_ARCHIVE: `file://${folder}`, KELPIE_LEDGER_KEY: 'e5'.repeat(32) };
const archive = openArchive({ folder, calls, clock: systemClock, logger });
const deps = { calls, archive, nameOldPayouts: createNameOldPayouts({ calls, archive }) };

const partners = [
  ...(await createPartners(database, partnersEach, 'live')),
  ...(await createPartners(database, partnersEach, 'sandbox')),
];
const histories = fc.sample(anyPayouts(months), { numRuns: partners.length, seed: 27 });
for (const [at, partner] of partners.entries()) await plantBooks({ database, pool }, partner, histories[at] ?? []);
// Why a month has to stay is the matter of another test: these have no invoices and no closed days.
await asAdmin(database.superuserUrl, async (client) =>
  client.query(
    `create or replace function kelpie.archive_obstacle(of_month date, at timestamptz) returns text
       language sql stable security definer set search_path = pg_catalog, pg_temp return null::text`,
  ),
);

async function readCharges({ partnerId }: PartnerContext, month: string, reasons: string[] | null): Promise<unknown[]> {
  const found: unknown[] = [];
  let place: Place = { transferId: nilId, line: 0 };
  for (;;) {
    const asked = { span: { from: monthStart(month), before: monthEnd(month) }, reasons, after: place, atMost: 4 };
    const page = await readWithArchivedCharges(archive, partnerId, asked, async (lines) =>
      listCharges(calls, partnerId, asked, lines),
    );
    // What it says of a payout is found besides, where that has left.
    found.push(
      ...page.map(({ transferId, line, reason, amount, causeId }) => [transferId, line, reason, amount, causeId]),
    );
    const last = page.at(-1);
    if (last === undefined) return found;
    place = { transferId: last.transferId, line: last.line };
  }
}

async function readPartner(partner: PartnerContext): Promise<unknown[]> {
  const found: unknown[] = [];
  for (const month of around) {
    const statement = await readStatement(calls, partner, `${month}-01`);
    found.push(statement);
    for (let from = statement.firstNumber; from < statement.nextNumber; from += 5n)
      found.push(await readMovements(deps, partner, statement, { from, limit: 5 }));
    if (partner.environment === 'live')
      for (const reasons of [null, ['charge.payout_fees'], ['charge.network_fees'], ['charge.bank_exceptions']])
        found.push(await readCharges(partner, month, reasons));
  }
  return found;
}

/** Sums by account and reason, and what each day held. */
async function readBooks(): Promise<unknown[]> {
  const sums = await asAdmin(database.superuserUrl, async (client) =>
    client.query(
      `select partner_id, environment, account, reason, sum(amount) from kelpie.booked_entries
       group by 1, 2, 3, 4 having sum(amount) <> 0 order by 1, 2, 3, 4`,
    ),
  );
  const left = createLeftMonths(reader, createDirectoryStore(folder));
  const days: unknown[] = [];
  for (let day = `${months[0]}-01`; day < '2025-07-01'; day = dayAfter(day))
    days.push([day, (await verifyDay(reader, day, left)).held]);
  return [sums.rows, days];
}

async function readEverything(): Promise<unknown[]> {
  const found = [await readBooks()];
  for (const partner of partners) found.push(await readPartner(partner));
  return found;
}

async function countEntries(month: string): Promise<number> {
  const { rows } = await asAdmin(database.superuserUrl, async (client) =>
    client.query<{ count: number }>(
      `select count(*)::int as count from kelpie.ledger_entries
       where to_char(kelpie.instant_of(transfer_id) at time zone 'utc', 'YYYY-MM') = $1`,
      [month],
    ),
  );
  return rows[0]?.count ?? 0;
}

/** Chains and balances, from a month on that is whole. */
async function assertChained(): Promise<void> {
  const { differences } = await inReadOnlyTransaction(reader, 'shared', async (tx) =>
    verifyLedger(tx, spanFrom('2025-07-01')),
  );
  assert.deepEqual(differences, []);
}

const before = await readEverything();

for (const month of ['2025-03', '2025-02', '2025-05', '2025-01']) {
  test(`statements, charges, sums and digests are the same when ${month} has left, and its entries are gone`, async () => {
    const had = await countEntries(month);
    const { code, said } = await kelpieAdmin(database, ['archive', 'month', month, '--json'], env);
    assert.equal(code, 0, said);
    const has = await countEntries(month);
    assert(has > 0 && has < had * 0.7, `${had} entries, then ${has}`);
    assert.deepEqual(await readEverything(), before);
    await assertChained();
  });
}

test('what was posted for a payout is in one place', async () => {
  const { rows } = await asAdmin(database.superuserUrl, async (client) =>
    client.query(
      `select distinct e.cause_id from kelpie.ledger_entries e
       join kelpie.archived_months m on m.month = date_trunc('month', kelpie.instant_of(e.cause_id) at time zone 'utc')::date
       where e.reason like 'payout.%' group by e.cause_id having sum(e.amount) <> 0`,
    ),
  );
  assert.deepEqual(rows, []);
});

test('a sum that the database kept of a month is changed: found', async () => {
  await asAdmin(database.superuserUrl, async (client) =>
    client.query(
      `update kelpie.carried_entries set amount = amount + 1
       where (month, partner_id, account, reason) = (
         select month, partner_id, account, reason from kelpie.carried_entries where account = 'wallet' order by 1, 2 limit 1)`,
    ),
  );
  const { code, said } = await kelpieAdmin(database, ['archive', 'verify', '--json'], env);
  assert.equal(code, 1);
  assert.match(said, /The sums that the database kept of it changed/);
  await asAdmin(database.superuserUrl, async (client) =>
    client.query(
      `update kelpie.carried_entries set amount = amount - 1
       where (month, partner_id, account, reason) = (
         select month, partner_id, account, reason from kelpie.carried_entries where account = 'wallet' order by 1, 2 limit 1)`,
    ),
  );
});

for (const month of ['2025-02', '2025-05', '2025-01', '2025-03']) {
  test(`statements, charges, sums and digests are the same when ${month} is back`, async () => {
    const { code, said } = await kelpieAdmin(database, ['archive', 'return', month, '--json'], env);
    assert.equal(code, 0, said);
    assert.deepEqual(await readEverything(), before);
    await assertChained();
  });
}

test('nothing is left of the archive when every month is back', async () => {
  const { rows } = await asAdmin(database.superuserUrl, async (client) =>
    client.query(
      `select (select count(*)::int from kelpie.carried_entries) as carried,
         (select count(*)::int from kelpie.archived_statements) as statements,
         (select count(*)::int from pg_class where relname ~ '^ledger_entries_.*(kept|back)$') as tables`,
    ),
  );
  assert.deepEqual(rows, [{ carried: 0, statements: 0, tables: 0 }]);
});
