import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { textAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { sendUsdc } from '@kelpie/sandbox-bank/test/topping-up.ts';
import { createPayout, getPayout, payoutBody, type ApiAnswer, type Client } from '../harness/client.ts';
import { assertAllHolds } from '../harness/invariants.ts';
import type { TestPartner } from '../harness/partners.ts';
import { untilQuiet } from '../harness/waits.ts';
import { balanceOf, openRounds, startFundingWorld, untilDeposit, untilFunded, type Places } from './topping-up.ts';

// A partner spends a deposit that the bank then takes back: it owes that. The bank's own wallet says what is really there.

const world = await startFundingWorld({ settleAfterMs: 300 });
const { bank, database } = world;
const round = await openRounds(database);

async function sql<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
  return asAdmin(database.superuserUrl, async (admin) => (await admin.query<Row>(text, values)).rows);
}

async function owedBy({ partnerId }: TestPartner): Promise<bigint> {
  const [debt] = await sql<{ owed: string }>('select owed_micro_usdc as owed from kelpie.debts where partner_id = $1', [
    partnerId,
  ]);
  return BigInt(debt?.owed ?? 0);
}

async function blocksOf({ partnerId }: TestPartner): Promise<string[]> {
  const blocks = await sql<{ what: string }>(
    `select cause || ' ' || environment || ' by ' || by as what from kelpie.payment_blocks where partner_id = $1`,
    [partnerId],
  );
  return blocks.map(({ what }) => what);
}

async function atBank({ walletId }: TestPartner): Promise<bigint> {
  return BigInt(textAt(await bank.control(`GET /wallets/${walletId}`), 'balance_micro_usdc'));
}

async function completed(client: Client, amountGbp: string): Promise<ApiAnswer> {
  const made = await createPayout(client, payoutBody({ amount_gbp: amountGbp }));
  assert.equal(made.status, 201, made.text);
  await eventually('it arrives', async () => (await getPayout(client, made.id)).payout === 'completed', 20_000);
  return made;
}

async function paymentOf({ id }: ApiAnswer): Promise<string> {
  const [row] = await sql<{ payment: string }>('select bank_payment_id as payment from kelpie.payouts where id = $1', [
    id,
  ]);
  return row?.payment ?? '';
}

interface Debtor {
  partner: TestPartner;
  client: Client;
  places: Places;
  owed: bigint;
}

/** 1,000.00 USDC came, were spent with a payout, and were taken back. */
async function newDebtor(): Promise<Debtor & { paid: ApiAnswer }> {
  const partner = await world.addPartner();
  const client = { url: world.api.url, key: partner.key };
  await round('open-funding');
  const places = await untilFunded(database, partner);
  const deposit = await sendUsdc(bank, places.addressId, '1000.01');
  await untilDeposit(database, deposit, 'credited');
  const paid = await completed(client, '8600.00');
  const left = await balanceOf(database, partner);
  await bank.control(`/deposits/${deposit}/refund`);
  await untilDeposit(database, deposit, 'reversed');
  return { partner, client, places, paid, owed: 1_000_000_000n - left };
}

test('a return repays what the partner owes first, and its wallet then shows no more than the bank holds', async () => {
  const { partner, paid, owed } = await newDebtor();
  assert.equal(await owedBy(partner), owed);
  await bank.control(`/transfers/${await paymentOf(paid)}/return`, {});
  await eventually('the wallet has what is left of the return', async () => (await balanceOf(database, partner)) > 0n);
  assert.equal(await owedBy(partner), 0n);
  assert.equal(await balanceOf(database, partner), await atBank(partner));
  await untilQuiet(database);
  await assertAllHolds(world);
});

test('a debt blocks payments from the commit that makes it to the one that repays it, and callers are told why', async () => {
  const { partner, client, places, owed } = await newDebtor();
  assert.deepEqual(await blocksOf(partner), ['debt sandbox by kelpie']);
  const refused = await createPayout(client, payoutBody({ amount_gbp: '10.00' }));
  assert.deepEqual([refused.status, refused.code], [403, 'partner_not_active']);
  assert.match(refused.text, /owes USDC for a top-up that was reversed/);
  await eventually('an alarm', async () => world.worker?.output().includes('deposit.debt') === true);
  const half = (owed / 2_000_000n).toString();
  await untilDeposit(database, await sendUsdc(bank, places.addressId, `${half}.01`), 'credited');
  assert.equal(await owedBy(partner), owed - BigInt(half) * 1_000_000n);
  assert.deepEqual(await blocksOf(partner), ['debt sandbox by kelpie'], 'half of it is still owed');
  await untilDeposit(database, await sendUsdc(bank, places.addressId, '2000.01'), 'credited');
  assert.deepEqual([await owedBy(partner), await blocksOf(partner)], [0n, []]);
  const history = await sql<{ what: string }>(
    `select what from kelpie.payment_block_history where partner_id = $1 order by id`,
    [partner.partnerId],
  );
  assert.deepEqual(
    history.map(({ what }) => what),
    ['blocked', 'lifted'],
  );
  await completed(client, '10.00');
  await untilQuiet(database);
  await assertAllHolds(world);
});

test('a payout that fails while its partner owes gives back what is left after the debt', async () => {
  const partner = await world.addPartner();
  const client = { url: world.api.url, key: partner.key };
  await round('open-funding');
  const places = await untilFunded(database, partner);
  const deposit = await sendUsdc(bank, places.addressId, '1000.01');
  await untilDeposit(database, deposit, 'credited');
  const made = await createPayout(client, payoutBody({ amount_gbp: '8600.00' }));
  await bank.control(`/transfers/${await paymentOf(made)}/fail`, {});
  const left = await balanceOf(database, partner);
  await bank.control(`/deposits/${deposit}/refund`);
  await untilDeposit(database, deposit, 'reversed');
  assert.equal(await owedBy(partner), 1_000_000_000n - left);
  await bank.control(`/transfers/${await paymentOf(made)}/refund`, {});
  await eventually('the wallet has the rest', async () => (await balanceOf(database, partner)) > 0n);
  assert.deepEqual([await balanceOf(database, partner), await owedBy(partner)], [10_000_000_000n, 0n]);
  assert.equal(await atBank(partner), 10_000_000_000n);
  await untilQuiet(database);
  await assertAllHolds(world);
});

test('a block for debt that an operator set is not lifted by a repayment', async () => {
  const { partner, places } = await newDebtor();
  await sql(`update kelpie.payment_blocks set by = 'ada' where partner_id = $1`, [partner.partnerId]);
  await untilDeposit(database, await sendUsdc(bank, places.addressId, '2000.01'), 'credited');
  assert.deepEqual([await owedBy(partner), await blocksOf(partner)], [0n, ['debt sandbox by ada']]);
});
