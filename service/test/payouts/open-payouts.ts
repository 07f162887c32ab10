import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { eventually } from '@kelpie/dev/eventually.ts';
import { textAt, valueAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { callWire } from '@kelpie/sandbox-bank/test/customer.ts';
import { createPayout, payoutBody, type ApiAnswer } from '../harness/client.ts';
import { passTime, type TestClock } from '../harness/clock.ts';
import type { World } from '../harness/world.ts';

// Payouts that their own rules leave open, until two operators act on them.

type WorldInTime = World & { clock: TestClock };

const hour = 3_600_000;
const amount = '100.00';

export async function fault(
  { bank }: Pick<World, 'bank'>,
  kind: string,
  on = 'transfer.create',
  more: object = { times: 1 },
): Promise<void> {
  await bank.control('/faults', { on, kind, ...more });
}

interface Facts {
  id: string;
  order: string;
  payment: string | null;
}

/** The newest payout of a key. */
export async function attemptOf({ database }: Pick<World, 'database'>, key: string): Promise<Facts> {
  return asAdmin(database.superuserUrl, async (admin) => {
    const { rows } = await admin.query<Facts>(
      `select id, order_id as order, bank_payment_id as payment
       from kelpie.payouts where idempotency_key = $1 order by id desc limit 1`,
      [key],
    );
    const [newest] = rows;
    assert(newest !== undefined);
    return newest;
  });
}

export async function untilCase(
  { database }: Pick<World, 'database'>,
  payoutId: string,
  kind: string,
): Promise<string> {
  const find = async (): Promise<string | undefined> =>
    asAdmin(database.superuserUrl, async (admin) => {
      const { rows } = await admin.query<{ id: string }>(
        'select id from kelpie.cases where payout_id = $1 and kind = $2 and closed_at is null',
        [payoutId, kind],
      );
      return rows[0]?.id;
    });
  await eventually(`a case ${kind} is open`, async () => (await find()) !== undefined, 30_000);
  return (await find()) ?? '';
}

/** What the bank really paid for an order. */
export async function paymentsOf({ bank }: Pick<World, 'bank'>, order: string) {
  const { payments } = await bank.record();
  return payments
    .filter((one) => one.client_reference_id === order)
    .map((one) => ({ id: one.transfer_id, took: one.taken_micro_usdc }));
}

/** The bank makes a payment for an order by itself: to the same account, of the amount that is given. */
export async function payAtBank(world: World, order: string, amountGbp = amount): Promise<string> {
  const { bank, api, partner } = world;
  const key = randomUUID();
  const other = await createPayout({ url: api.url, key: partner.key }, payoutBody({ amount_gbp: '3.00' }), key);
  assert.equal(other.status, 201, other.text);
  const known = (await callWire(bank, `/transfers/${(await attemptOf(world, key)).payment ?? ''}`)).json;
  const destination = {
    currency: 'gbp',
    payment_rail: 'faster_payments',
    external_account_id: textAt(known, 'destination.external_account_id'),
    amount: amountGbp,
    reference: 'By hand',
  };
  const from = { on_behalf_of: valueAt(known, 'on_behalf_of'), source: valueAt(known, 'source') };
  const body = { ...from, destination, client_reference_id: order };
  const made = await callWire(bank, '/transfers', { body, key: randomUUID() });
  assert.equal(made.status, 201, made.text);
  return textAt(made.json, 'id');
}

/** A payout of which the bank never heard, a day later: its case is open, and no worker touches it any more. */
export async function makeLost(world: WorldInTime): Promise<{ made: ApiAnswer; facts: Facts; caseId: string }> {
  const key = randomUUID();
  await world.worker?.stop();
  await fault(world, 'drop_request');
  const client = { url: world.api.url, key: world.partner.key };
  const made = await createPayout(client, payoutBody({ amount_gbp: amount }), key);
  assert.equal(made.payout, 'pending', made.text);
  await passTime(world, 25 * hour);
  await world.restartWorker();
  const caseId = await untilCase(world, made.id, 'not_found_at_bank');
  return { made, facts: await attemptOf(world, key), caseId };
}

/** A payout that the bank refuses, and then pays by itself. */
export async function refuseAndPay(world: World, key: string, paid = amount) {
  await fault(world, 'reject', 'transfer.create', { times: 1, code: 'invalid_parameters' });
  const client = { url: world.api.url, key: world.partner.key };
  assert.equal((await createPayout(client, payoutBody({ amount_gbp: amount }), key)).status, 502);
  const facts = await attemptOf(world, key);
  const payment = await payAtBank(world, facts.order, paid);
  return { facts, payment, caseId: await untilCase(world, facts.id, 'paid_though_not_created') };
}

/** The bank is done with a payment, so that it says the same when an act is proposed and when it is approved. */
export async function untilPaid({ bank }: Pick<World, 'bank'>, payment: string): Promise<void> {
  const stateOf = async () => textAt((await callWire(bank, `/transfers/${payment}`)).json, 'state');
  await eventually('the bank has paid it', async () => (await stateOf()) === 'payment_processed');
}
