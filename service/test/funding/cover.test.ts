import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { listAt, textAt, valueAt } from '@kelpie/dev/json.ts';
import { kelpieAdmin } from '../app/commands/kelpie-admin.ts';
import { createPayout, payoutBody, type Client } from '../harness/client.ts';
import { passTime } from '../harness/clock.ts';
import { assertAllHolds } from '../harness/invariants.ts';
import { untilQuiet } from '../harness/waits.ts';
import { openFloating, usdc } from './floating.ts';
import { openRounds, startFundingWorld } from './topping-up.ts';

// A bank without a float: nothing is moved, and what a wallet lacks is said aloud. And a day that loses too much.

const world = await startFundingWorld({ environment: 'live', settleAfterMs: 2_000 });
const { bank, database } = world;
const round = await openRounds(database);
const { balanced, newPartner, payAt, sql } = openFloating(world, round);

function alarms(event: string): string[] {
  const lines = world.worker?.output().split('\n') ?? [];
  return lines.filter((line) => line.includes(`"${event}"`));
}

test('a wallet that its bank does not cover is an alarm every day, by its partner’s id, and an operator sees by how much', async () => {
  assert.equal((await kelpieAdmin(database, ['float', 'show'])).code, 0);
  const { partner, client } = await newPartner();
  await payAt(client, '2000.00', usdc(21));
  await untilQuiet(database);
  await round('check-cover');
  const [alarm] = await eventually('an alarm', async () => {
    const found = alarms('funding.wallet_uncovered');
    return found.length > 0 && found;
  });
  const line: unknown = JSON.parse(alarm ?? '{}');
  assert.deepEqual([valueAt(line, 'partner_id'), valueAt(line, 'environment')], [partner.partnerId, 'live']);
  const shown = await kelpieAdmin(database, ['float', 'show', '--json']);
  assert.deepEqual(
    [shown.code, listAt(shown.data(), 'uncovered').map((one) => textAt(one, 'lacks_micro_usdc'))],
    [1, [usdc(21).toString()]],
  );
  await assertAllHolds(world);
});

/** A payout of 5,000.00 GBP fails, and the bank gives back so much of the 6,361.40 USDC that it took. */
async function loseOn(client: Client, backMicroUsdc: bigint): Promise<void> {
  const made = await createPayout(client, payoutBody({ amount_gbp: '5000.00' }));
  assert.equal(made.status, 201, made.text);
  const [row] = await sql<{ payment: string }>('select bank_payment_id as payment from kelpie.payouts where id = $1', [
    made.id,
  ]);
  await bank.control(`/transfers/${row?.payment ?? ''}/fail`, {});
  await bank.control(`/transfers/${row?.payment ?? ''}/refund`, { refund_micro_usdc: Number(backMicroUsdc) });
  await eventually('its refund is booked', async () => {
    const [found] = await sql<{ refunded: string | null }>(
      'select bank_refunded_micro_usdc as refunded from kelpie.payouts where id = $1',
      [made.id],
    );
    return found?.refunded !== null;
  });
}

async function pauses(): Promise<string[]> {
  const rows = await sql<{ reason: string }>(`select reason from kelpie.payment_blocks where cause = 'rail_paused'`);
  return rows.map(({ reason }) => reason);
}

test('a day that loses more than 5,000 USDC pauses live, until operators let it go on and as much again is lost', async () => {
  const [{ client }, { client: other }, { client: third }] = [
    await newPartner(),
    await newPartner(),
    await newPartner(),
  ];
  await loseOn(client, usdc(2_000));
  await balanced();
  assert.deepEqual(await pauses(), [], '4,361.40 USDC are within the limit');
  await loseOn(other, usdc(5_000));
  await balanced();
  const [reason] = await eventually('live is paused', async () => {
    const found = await pauses();
    return found.length > 0 && found;
  });
  assert.match(reason ?? '', /cost 57\d\d\.\d\d USDC today/);
  assert.equal(alarms('float.losses_stopped_live').length, 1);
  const refused = await createPayout(third, payoutBody({ amount_gbp: '10.00' }));
  assert.deepEqual(
    [refused.status, refused.code, valueAt(refused.json, 'error.details.reason')],
    [502, 'payout_not_created', 'payments_paused'],
  );
  await sql(`select kelpie.lift_payment_block(id, 'a test', now(), 'test') from kelpie.payment_blocks`);
  await balanced();
  assert.equal((await createPayout(third, payoutBody({ amount_gbp: '10.00' }))).status, 201);
  await loseOn(third, usdc(1_000));
  await balanced();
  await eventually('live is paused again', async () => (await pauses()).length > 0);
  await sql(`select kelpie.lift_payment_block(id, 'a test', now(), 'test') from kelpie.payment_blocks`);
  await passTime(world, 24 * 3_600_000);
  await untilQuiet(database);
  await assertAllHolds(world);
});
