import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { openFloating, usdc } from '../funding/floating.ts';
import { openRounds, startFundingWorld } from '../funding/topping-up.ts';
import { listCasesOf, openReconciling, passCutOff } from './reconciling.ts';

// Moves between the house's float and a partner's bank wallet, as a comparison with the bank's records sees them.

const world = await startFundingWorld({ settleAfterMs: 1_000, withFloat: true });
const { bank, database } = world;
const round = await openRounds(database);
const { balanced, movesOf, newPartner, payAt, sql } = openFloating(world, round);
const reconcile = openReconciling(world);

async function paymentOf(partnerId: string): Promise<string> {
  const [move] = await sql<{ payment: string }>(
    'select bank_payment_id as payment from kelpie.float_moves where partner_id = $1 and bank_payment_id is not null',
    [partnerId],
  );
  return move?.payment ?? '';
}

test('a top-up and a sweep are no differences: neither the line that the bank has of it, nor the balance', async () => {
  const { partner, client } = await newPartner();
  await payAt(client, '2000.00', usdc(22));
  await balanced();
  await payAt(client, '5000.00', -usdc(60));
  await balanced();
  assert.deepEqual(await movesOf(partner), [`top_up done ${usdc(32)}`, `sweep done ${usdc(60)}`]);
  await passCutOff(world);
  const report = await reconcile(partner);
  assert.deepEqual([report.state, report.differences], ['clean', 0]);
  assert.deepEqual(await listCasesOf(database, partner), []);
});

test('a move that is on its way explains the balance meanwhile', async () => {
  const { partner, client } = await newPartner();
  await payAt(client, '5000.00', -usdc(62));
  await round('balance-floats');
  await eventually('the bank has it', async () => (await paymentOf(partner.partnerId)) !== '');
  await passCutOff(world);
  assert.equal((await reconcile(partner)).state, 'clean');
  await balanced();
  assert.deepEqual(await movesOf(partner), [`sweep done ${usdc(52)}`]);
});

test('a sweep of which the bank has another amount is a case, and so is one that nobody ordered', async () => {
  const { partner, client } = await newPartner();
  await payAt(client, '5000.00', -usdc(62));
  await balanced();
  await bank.control(`/transfers/${await paymentOf(partner.partnerId)}/misstate`, { micro_usdc: 51_000_000 });
  await passCutOff(world);
  await reconcile(partner);
  const [amount] = await listCasesOf(database, partner);
  assert.deepEqual([amount?.kind, amount?.difference], ['transfer_amount', usdc(1).toString()]);
  await sql(`set session_replication_role = replica; delete from kelpie.float_moves`);
  await reconcile(partner, { everything: true });
  const kinds = (await listCasesOf(database, partner)).map(({ kind }) => kind);
  assert(kinds.includes('transfer_unknown'), kinds.join());
});
