import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { listedLines } from '../../../test/harness/listed-lines.ts';
import { createTestDatabase } from '../../../test/harness/database.ts';
import { createPartners } from '../../../test/harness/partners.ts';
import { systemClock } from '../../platform/clock.ts';
import { openPool } from '../../platform/database/pool.ts';
import { inTransaction } from '../../platform/database/transaction.ts';
import { newId } from '../../platform/ids.ts';
import { createLogger } from '../../platform/logging.ts';
import * as events from '../events.ts';
import { everything, postTransfers, verifyLedger, type Verification } from '../index.ts';

const database = await createTestDatabase();
const logger = createLogger('test', 'silent');
const pool = openPool({ url: database.serviceUrl, connections: 2, applicationName: 'test', logger });
after(async () => pool.end());

const [owner] = await createPartners(database, 1);
assert(owner !== undefined);
const steps = [
  events.deposit(1_000n),
  events.hold({ principal: 90n, providerFee: 10n }),
  events.taken({ byBank: 99n }),
  events.arrived({ held: 100n, byBank: 99n }),
  events.hold({ principal: 45n, providerFee: 5n }),
];
// The deposit, the first hold with its whole life, and the second, which is still under way.
const [ofDeposit, ofFirst, ofSecond] = [newId(systemClock), newId(systemClock), newId(systemClock)];
const causeIds = [ofDeposit, ofFirst, ofFirst, ofFirst, ofSecond];
for (const [at, lines] of steps.entries()) {
  const id = newId(systemClock);
  const causeId = causeIds[at] ?? id;
  await inTransaction(pool, owner, async (tx) =>
    postTransfers(tx, [{ id, ...owner, reason: 'correction', causeId, lines: listedLines(lines) }]),
  );
}

const reader = openPool({ url: database.readerUrl, connections: 1, applicationName: 'test', logger });
after(async () => reader.end());

async function verify(): Promise<Verification> {
  return inTransaction(reader, 'shared', async (tx) => verifyLedger(tx, everything));
}

/** As a superuser with triggers off: what a person with access to the disk could do. Put back after each test. */
async function plant(sql: string): Promise<void> {
  await asAdmin(database.superuserUrl, async (client) =>
    client.query(`set session_replication_role = replica; ${sql}`),
  );
}

await plant(
  'create table public.kept_entries as table kelpie.ledger_entries; create table public.kept_wallets as table kelpie.wallets',
);
beforeEach(async () =>
  plant(`delete from kelpie.ledger_entries; insert into kelpie.ledger_entries table public.kept_entries;
    delete from kelpie.wallets; insert into kelpie.wallets table public.kept_wallets`),
);

test('a ledger that is right has no differences', async () => {
  assert.deepEqual(await verify(), { entries: 13, transfers: 5, wallets: 1, differences: [] });
});

const firstHold = `transfer_id = (select transfer_id from kelpie.ledger_entries where account = 'wallet' and wallet_version = 2)`;

const planted: [what: string, sql: string, kind: string][] = [
  [
    'an entry that was changed',
    `update kelpie.ledger_entries set amount = amount + 1 where ${firstHold} and line = 2`,
    'transfer does not sum to zero',
  ],
  [
    'a transfer that was changed and still sums to zero',
    `update kelpie.ledger_entries set amount = amount + sign(amount) * 1 where ${firstHold} and line in (1, 2)`,
    'wallet entry does not follow from the one before',
  ],
  [
    'an entry that was removed',
    `delete from kelpie.ledger_entries where ${firstHold} and line = 3`,
    'transfer does not sum to zero',
  ],
  [
    'an entry that was doubled',
    `insert into kelpie.ledger_entries select transfer_id, 4, partner_id, environment, account, amount, reason, cause_id
     from kelpie.ledger_entries where ${firstHold} and line = 3`,
    'transfer does not sum to zero',
  ],
  [
    'a whole transfer that was removed',
    `delete from kelpie.ledger_entries where ${firstHold}`,
    'wallet entry does not follow from the one before',
  ],
  [
    'a whole transfer that was doubled',
    `insert into kelpie.ledger_entries
     select kelpie.first_id_at(now()), line, partner_id, environment, account, amount, reason, cause_id, wallet_balance_after, wallet_version
     from kelpie.ledger_entries where ${firstHold}`,
    'wallet entry does not follow from the one before',
  ],
  [
    'the newest transfer of a wallet removed',
    `delete from kelpie.ledger_entries where transfer_id = (select transfer_id from kelpie.ledger_entries where wallet_version = 3)`,
    'wallet is not its newest entry',
  ],
  [
    'a balance that is off by one',
    `update kelpie.wallets set balance_micro_usdc = balance_micro_usdc + 1`,
    'wallet is not its newest entry',
  ],
  ['a wallet that was removed', `delete from kelpie.wallets`, 'wallet is not its newest entry'],
];

for (const [what, sql, kind] of planted) {
  test(`verification finds ${what}`, async () => {
    await plant(sql);
    const { differences } = await verify();
    assert(
      differences.some((difference) => difference.kind === kind),
      JSON.stringify(differences),
    );
  });
}
