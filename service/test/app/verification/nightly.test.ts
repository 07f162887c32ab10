import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { loadPayouts } from '../../../bench/load-payouts.ts';
import { verifyNightly } from '../../../src/app/verification/verify-nightly.ts';
import { openPool } from '../../../src/platform/database/pool.ts';
import { createLogger } from '../../../src/platform/logging.ts';
import { openRounds } from '../../funding/topping-up.ts';
import { runCommand } from '../../harness/command.ts';
import { createTestDatabase } from '../../harness/database.ts';
import { startWorker } from '../../harness/processes.ts';
import { eventually } from '@kelpie/dev/eventually.ts';

// Thirty days of payouts that are over; it is noon of the day after them.
const now = new Date('2026-11-17T12:00:00Z');
const dayMs = 24 * 60 * 60_000;
const database = await createTestDatabase();
await loadPayouts(database, {
  payouts: 300,
  partners: 2,
  during: { from: new Date(now.getTime() - 30 * dayMs), until: now },
});

const folder = mkdtempSync(path.join(tmpdir(), 'kelpie-anchors-'));
after(() => rmSync(folder, { recursive: true }));
const anchorFile = path.join(folder, 'anchors');
const logger = createLogger('test', 'silent');
const open = (url: string) => openPool({ url, connections: 1, applicationName: 'test', logger, pace: 'unhurried' });
const [reader, pool] = [open(database.readerUrl), open(database.serviceUrl)];
after(async () => Promise.all([reader.end(), pool.end()]));
const key = Buffer.alloc(32, 7);

let nights = 0;

async function night(of = now): Promise<number> {
  nights += 1;
  const at = new Date(of.getTime() + nights * 1_000);
  const deps = { reader, pool, clock: { now: () => at }, logger, key, anchorFile, archiveStore: null };
  const { differences } = await verifyNightly(deps, new AbortController().signal);
  return differences;
}

async function read<Row extends object>(sql: string): Promise<Row[]> {
  return asAdmin(database.superuserUrl, async (admin) => (await admin.query<Row>(sql)).rows);
}

/** As a superuser with triggers off: what a person with access to the disk could do. */
async function tamper(sql: string): Promise<void> {
  await asAdmin(database.superuserUrl, async (admin) => admin.query(`set session_replication_role = replica; ${sql}`));
}

const anchors = (): string[] => readFileSync(anchorFile, 'utf8').trim().split('\n');

test('a night closes every day that is over, and anchors each outside the database', async () => {
  assert.equal(await night(), 0);
  const days = await read<{ day: string; mac: string }>('select day::text, mac from kelpie.closed_days order by day');
  assert.deepEqual([days.length, days[0]?.day, days.at(-1)?.day], [30, '2026-10-18', '2026-11-16']);
  assert.deepEqual(
    anchors(),
    days.map(({ day, mac }) => `${day}:${mac}`),
  );
  const [{ orders } = {}] = await read<{ orders: string }>('select sum(orders) as orders from kelpie.closed_days');
  assert.equal(Number(orders), 295);
});

test('each night reads the next twelve old days, and begins again after the last', async () => {
  const readUntil: unknown[] = [];
  for (let count = 0; count < 4; count += 1) {
    assert.equal(await night(), 0);
    const [row] = await read<{ until: string }>(
      'select read_until::text as until from kelpie.ledger_verifications order by id desc limit 1',
    );
    readUntil.push(row?.until);
  }
  assert.deepEqual(readUntil, ['2026-10-29', '2026-11-10', '2026-11-16', '2026-10-29']);
});

/** How many nights until it is found; at most as many as it takes to read every day. */
async function nightsUntilFound(): Promise<number> {
  for (let count = 1; count <= 4; count += 1) if ((await night()) > 0) return count;
  return Infinity;
}

const oldPayout = `select id from kelpie.payouts where id < kelpie.first_id_at('2026-10-19') order by id limit 1`;

/** One amount more, wherever it is written: everything agrees with everything, but not with the digest. */
const consistently = (sign: '+' | '-'): string => `
  update kelpie.ledger_entries set amount = amount ${sign} sign(amount)
  where cause_id = (${oldPayout}) and reason = 'payout.bank_accepted';
  update kelpie.ledger_entries set amount = amount ${sign} sign(amount)
  where cause_id = (${oldPayout}) and reason = 'payout.arrived' and account = 'in_transit';
  insert into kelpie.ledger_entries select transfer_id, 3, partner_id, environment, 'fx', -1, reason, cause_id
  from kelpie.ledger_entries where cause_id = (${oldPayout}) and reason = 'payout.arrived' and line = 1
  on conflict do nothing;
  update kelpie.payouts set bank_debited_micro_usdc = bank_debited_micro_usdc ${sign} 1 where id = (${oldPayout})`;

const found: [what: string, how: string, undo: string, most: number][] = [
  [
    'an old payout and its entries that were changed together',
    consistently('+'),
    `${consistently('-')}; delete from kelpie.ledger_entries where account = 'fx' and cause_id = (${oldPayout})`,
    3,
  ],
  [
    'the state of an old payout that was changed',
    `update kelpie.payouts set state = 'failed', failure_reason = 'x' where id = (${oldPayout})`,
    `update kelpie.payouts set state = 'completed', failure_reason = null where id = (${oldPayout})`,
    3,
  ],
  [
    'the price plan of an old payout that was changed',
    `update kelpie.payouts set price_plan = 'standard-2' where id = (${oldPayout})`,
    `update kelpie.payouts set price_plan = 'standard-1' where id = (${oldPayout})`,
    3,
  ],
  [
    'a balance that is off by one',
    'update kelpie.wallets set balance_micro_usdc = balance_micro_usdc + 1 where version > 0',
    'update kelpie.wallets set balance_micro_usdc = balance_micro_usdc - 1 where version > 0',
    1,
  ],
  [
    'a digest that was changed',
    `update kelpie.closed_days set entries_digest = reverse(entries_digest) where day = '2026-11-01'`,
    `update kelpie.closed_days set entries_digest = reverse(entries_digest) where day = '2026-11-01'`,
    1,
  ],
  [
    'closed days that were cut off with all that was booked since',
    `create table public.kept as select * from kelpie.closed_days where day > '2026-11-14';
     delete from kelpie.closed_days where day > '2026-11-14'`,
    'insert into kelpie.closed_days table public.kept; drop table public.kept',
    1,
  ],
];

for (const [what, how, undo, most] of found) {
  test(`nights find ${what} within ${most}`, async () => {
    await tamper(how);
    const passed = await nightsUntilFound();
    await tamper(undo);
    assert(passed <= most, `found after ${passed} nights`);
    for (let count = 0; count < 3; count += 1) assert.equal(await night(), 0, 'as before');
  });
}

const nextDay = new Date(now.getTime() + dayMs);

const changeDebit = (sign: string): string =>
  `update kelpie.payouts set wallet_debit_micro_usdc = wallet_debit_micro_usdc ${sign} 1
   where id = (select id from kelpie.payouts where id > kelpie.first_id_at('2026-11-17') order by id limit 1)`;

test('a day that is not right stays open, and is found every night until it is', async () => {
  await tamper(changeDebit('+'));
  for (let count = 0; count < 2; count += 1) assert((await night(nextDay)) > 0);
  assert.equal((await read('select from kelpie.closed_days')).length, 30);
  await tamper(changeDebit('-'));
  assert.equal(await night(nextDay), 0);
  assert.equal((await read('select from kelpie.closed_days')).length, 31);
});

test('an anchor that a crash kept from being written is written the next night', async () => {
  const whole = anchors();
  writeFileSync(anchorFile, `${whole.slice(0, -1).join('\n')}\n`);
  assert.equal(await night(nextDay), 0);
  assert.deepEqual(anchors(), whole);
});

const settings = {
  KELPIE_MODE: 'development',
  KELPIE_READER_DATABASE_URL: database.readerUrl,
  KELPIE_LEDGER_KEY: key.toString('hex'),
  KELPIE_LEDGER_ANCHORS: anchorFile,
};

test('kelpie-admin ledger verify --all reads every closed day, and says that their chain holds', async () => {
  const { code, output } = await runCommand({ args: ['ledger', 'verify', '--all'], env: settings });
  assert.deepEqual([code, output.includes('31 closed days among them: no differences.')], [0, true], output);
  const wrong = { ...settings, KELPIE_LEDGER_KEY: '00'.repeat(32) };
  const { code: another } = await runCommand({ args: ['ledger', 'verify'], env: wrong });
  assert.equal(another, 1);
});

test('a worker verifies the ledger when its job comes due', async () => {
  const before = await read('select from kelpie.ledger_verifications where differences = 0');
  await startWorker({ database, env: settings });
  const round = await openRounds(database);
  await round('verify-ledger');
  await eventually('the night is recorded', async () => {
    const rows = await read('select from kelpie.ledger_verifications where differences = 0');
    return rows.length > before.length;
  });
});
