import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { textAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { openRounds, startFundingWorld, untilDeposit, untilFunded } from '../../funding/topping-up.ts';
import { createPayout, payoutBody } from '../../harness/client.ts';
import { runCommand } from '../../harness/command.ts';
import { assertAllHolds } from '../../harness/invariants.ts';
import { untilQuiet } from '../../harness/waits.ts';

// A deposit, two payouts that arrived and one that is open: then the processes stop, and only tampering changes the books.
const world = await startFundingWorld({ environment: 'live', settleAfterMs: 200 });
const { bank, database, partner } = world;
const client = { url: world.api.url, key: partner.key };
const round = await openRounds(database);
await round('open-funding');
const { accountId } = await untilFunded(database, partner);
const sent = await bank.control('/deposits', { virtual_account_id: accountId, amount_gbp: '100.00' });
const { id: deposit } = await untilDeposit(database, textAt(sent, 'id'), 'credited');
const { id: completed } = await createPayout(client, payoutBody({ amount_gbp: '25.00' }));
await createPayout(client, payoutBody({ amount_gbp: '30.00' }));
await untilQuiet(database);
await round('balance-floats');
await eventually('the sums of the house are kept', async () =>
  asAdmin(database.superuserUrl, async (admin) => (await admin.query('select from kelpie.house_sums')).rowCount !== 0),
);
await assertAllHolds(world);
await world.worker?.stop();
const { id: open } = await createPayout(client, payoutBody({ amount_gbp: '40.00' }));
await world.api.stop();

/** As a superuser with triggers off: what a person with access to the disk could do. */
async function tamper(sql: string): Promise<void> {
  await asAdmin(database.superuserUrl, async (admin) =>
    admin.query(`set session_replication_role = replica; ${sql.replaceAll('$partner', `'${partner.partnerId}'`)}`),
  );
}

type Lines = readonly (readonly [account: string, amount: number])[];

/** As the service's own role, by the function that it posts with. */
async function post(reason: string, cause: string, lines: Lines): Promise<void> {
  const columns = lines.map(([account, amount], at) => `(${at + 1}, '${account}', ${amount})`).join(', ');
  await asAdmin(database.serviceUrl, async (service) =>
    service.query(`set kelpie.batch = on;
      select from (
        select array_agg(id) as ids, array_agg(line::smallint) as lines, array_agg('${partner.partnerId}'::uuid) as partners,
          array_agg('live'::kelpie.environment) as environments, array_agg(account::kelpie.ledger_account) as accounts,
          array_agg(amount::bigint) as amounts, array_agg('${reason}'::text) as reasons, array_agg('${cause}'::uuid) as causes
        from (select kelpie.first_id_at(now()) as id) as one cross join (values ${columns}) as entry (line, account, amount)
      ) e cross join lateral kelpie.post_transfers(ids, lines, partners, environments, accounts, amounts, reasons, causes)`),
  );
}

const kept = [
  'ledger_entries',
  'wallets',
  'payouts',
  'payout_history',
  'payout_refunds',
  'deposits',
  'deposit_history',
  'single_charges',
  'debts',
  'house_sums',
  'house_changes',
];
await tamper(kept.map((table) => `create table public.kept_${table} as table kelpie.${table}`).join(';'));
beforeEach(async () =>
  tamper(
    kept
      .map(
        (table) =>
          `delete from kelpie.${table}; insert into kelpie.${table} overriding system value table public.kept_${table}`,
      )
      .join(';'),
  ),
);

async function verify(): Promise<{ code: number | null; said: string }> {
  const { code, output: said } = await runCommand({
    args: ['ledger', 'verify', '--json'],
    env: {
      KELPIE_MODE: 'development',
      KELPIE_READER_DATABASE_URL: database.readerUrl,
      KELPIE_LOG_LEVEL: 'silent',
    },
  });
  return { code, said };
}

test('untouched books have no differences', async () => {
  const { code, said } = await verify();
  assert.deepEqual([code, said.includes('"differences":[]')], [0, true], said);
});

const unknownId = '01900000-0000-7000-8000-000000000000';
const usdc = 1_000_000;
const newestMovement = `select transfer_id from kelpie.ledger_entries where partner_id = $partner and account = 'wallet'
  order by wallet_version desc limit 1`;
const taken = `select transfer_id from kelpie.ledger_entries where cause_id = '${completed}' and reason = 'payout.bank_accepted'`;
const ofCompleted = (reason: string): string => `cause_id = '${completed}' and reason = '${reason}'`;

const tamperings: [what: string, how: () => Promise<void>, kind: string][] = [
  [
    'money that was made from a loss for no payout',
    async () =>
      post('payout.refunded', unknownId, [
        ['exception_loss', 1_000_000 * usdc],
        ['wallet', -1_000_000 * usdc],
      ]),
    'entries of no payout',
  ],
  [
    'money of a wallet that was moved to the rate differences',
    async () =>
      post('payout.returned', completed, [
        ['wallet', 5 * usdc],
        ['fx', -5 * usdc],
      ]),
    'transfer is not in the history of its payout',
  ],
  [
    'money that is held for no payout',
    async () =>
      post('payout.hold', unknownId, [
        ['wallet', 50 * usdc],
        ['held', -50 * usdc],
      ]),
    'entries of no payout',
  ],
  [
    'an arrival whose booking was removed',
    async () =>
      tamper(`delete from kelpie.ledger_entries where transfer_id in (
        select transfer_id from kelpie.ledger_entries where ${ofCompleted('payout.arrived')})`),
    'payout is not what was booked for it',
  ],
  [
    'money of a wallet that was moved to the rate differences, with a history that says so',
    async () => {
      await post('payout.returned', completed, [
        ['wallet', 5 * usdc],
        ['fx', -5 * usdc],
      ]);
      await tamper(`update kelpie.payout_history set transfer_ids = transfer_ids || (
        select max(transfer_id::text)::uuid from kelpie.ledger_entries where cause_id = '${completed}')
        where payout_id = '${completed}' and number = 2`);
    },
    'payout is not what was booked for it',
  ],
  [
    "a debit of the bank's that was removed",
    async () => tamper(`delete from kelpie.ledger_entries where transfer_id in (${taken})`),
    'transfer of a payout was not posted',
  ],
  [
    "a debit of the bank's that was doubled",
    async () =>
      tamper(`insert into kelpie.ledger_entries
        select kelpie.first_id_at(now()), line, partner_id, environment, account, amount, reason, cause_id
        from kelpie.ledger_entries where transfer_id in (${taken})`),
    'transfer is not in the history of its payout',
  ],
  [
    "a debit of the bank's whose amounts were changed",
    async () => tamper(`update kelpie.ledger_entries set amount = amount * 1000 where transfer_id in (${taken})`),
    'payout is not what was booked for it',
  ],
  [
    'a fee and a debit that were changed in the payout',
    async () =>
      tamper(`update kelpie.payouts set fee_pence = fee_pence + 100, wallet_debit_micro_usdc = wallet_debit_micro_usdc - 1
        where id = '${completed}'`),
    'hold is not the debit of the payout',
  ],
  [
    'the newest movement of a wallet, cut off together with the balance',
    async () =>
      tamper(`update kelpie.wallets w set balance_micro_usdc = w.balance_micro_usdc + e.amount, version = version - 1
        from kelpie.ledger_entries e where e.transfer_id = (${newestMovement}) and e.account = 'wallet' and w.partner_id = $partner;
        delete from kelpie.ledger_entries where transfer_id = (${newestMovement})`),
    'payout is not what was booked for it',
  ],
  [
    'a hold that was released while the payout goes on',
    async () =>
      post('payout.released', open, [
        ['held', 1],
        ['wallet', -1],
      ]),
    'transfer is not in the history of its payout',
  ],
  [
    'a payout that failed by its row alone',
    async () => tamper(`update kelpie.payouts set state = 'failed', failure_reason = 'x' where id = '${completed}'`),
    'payout is not what was booked for it',
  ],
  [
    'a payout that was given to another partner',
    async () => tamper(`update kelpie.payouts set partner_id = '${unknownId}' where id = '${completed}'`),
    'entries of no payout',
  ],
  [
    'a change that was taken out of the history',
    async () => tamper(`delete from kelpie.payout_history where payout_id = '${completed}' and number = 2`),
    'history is not whole',
  ],
  [
    'a fee that was never charged',
    async () => tamper(`delete from kelpie.ledger_entries where ${ofCompleted('charge.payout_fees')}`),
    'payout is not what was booked for it',
  ],
  [
    'a deposit that was credited twice',
    async () =>
      post('deposit.credited', deposit, [
        ['bank_wallet', 100 * usdc],
        ['wallet', -100 * usdc],
      ]),
    'transfer is not in the history of its deposit',
  ],
  [
    'a deposit whose amount was changed',
    async () => tamper(`update kelpie.deposits set net_micro_usdc = net_micro_usdc - 1 where id = '${deposit}'`),
    'deposit is not what was booked for it',
  ],
  [
    'a deposit that is nowhere but in the ledger',
    async () =>
      post('deposit.credited', unknownId, [
        ['bank_wallet', 100 * usdc],
        ['wallet', -100 * usdc],
      ]),
    'entries of no deposit',
  ],
  [
    'a correction that no operator made',
    async () =>
      post('correction', unknownId, [
        ['bank_wallet', 100 * usdc],
        ['wallet', -100 * usdc],
      ]),
    'correction is not in the history of its case',
  ],
  [
    'test money in a live wallet',
    async () =>
      post('sandbox.float', unknownId, [
        ['bank_wallet', 100 * usdc],
        ['wallet', -100 * usdc],
      ]),
    'entry that is not listed',
  ],
  [
    'a charge that was never recorded',
    async () =>
      post('charge.monthly_account', unknownId, [
        ['receivable', 1500],
        ['revenue', -1500],
      ]),
    'charge is not what was recorded',
  ],
  [
    'a charge that was recorded and never posted',
    async () =>
      tamper(`insert into kelpie.single_charges (partner_id, kind, occasion, transfer_id, at, by)
        values ($partner, 'monthly_account', '2026-01', '${unknownId}', now(), 'test')`),
    'charge is not what was recorded',
  ],
  [
    'a wallet that holds money while its partner owes',
    async () => tamper(`insert into kelpie.debts values ($partner, 'live', 5, now())`),
    'wallet holds money that its partner owes',
  ],
  [
    'a debt that nothing was booked for',
    async () => tamper(`insert into kelpie.debts values ($partner, 'live', 5, now())`),
    'debt is not the sum of its entries',
  ],
  [
    "a sum of the house's accounts that was changed",
    async () =>
      tamper(`insert into kelpie.house_changes (partner_id, environment, account, amount, on_day)
      values ($partner, 'live', 'suspense', 5, now())`),
    'sum that is kept is not that of the entries',
  ],
  [
    'money of the house that went nowhere',
    async () =>
      post('float.top_up', unknownId, [
        ['float_in_transit', 5 * usdc],
        ['house_float', -5 * usdc],
      ]),
    'entries of no move of the float',
  ],
];

for (const [what, how, kind] of tamperings) {
  test(`kelpie-admin ledger verify finds ${what}`, async () => {
    await how();
    const { code, said } = await verify();
    assert.equal(code, 1, said);
    assert(said.includes(`"kind":"${kind}"`), said);
  });
}
