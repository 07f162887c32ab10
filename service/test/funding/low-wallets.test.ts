import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { valueAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { sendUsdc } from '@kelpie/sandbox-bank/test/topping-up.ts';
import { passTime } from '../harness/clock.ts';
import { createPayout, payoutBody, type ApiAnswer } from '../harness/client.ts';
import { callAs, signIn } from '../harness/people.ts';
import { openRounds, startFundingWorld, subjectsTo, untilDeposit, untilFunded } from './topping-up.ts';

const world = await startFundingWorld();
const { bank, database, partner } = world;
const round = await openRounds(database);
await round('open-funding');
const places = await untilFunded(database, partner);
const admin = await signIn(database, partner, { url: world.api.url });
const subject = /^Your sandbox wallet is low: [\d.,]+ USDC$/;

async function setThreshold(low: string | null): Promise<ApiAnswer> {
  const body = { wallet_low_usdc: low };
  const answer = await callAs(admin, '/v1/account?environment=sandbox', { method: 'PATCH', body });
  assert.equal(answer.status, 200, answer.text);
  return answer;
}

function reported(): number {
  return subjectsTo(world, admin.email).filter((one) => subject.test(one)).length;
}

async function isLow(): Promise<boolean> {
  return asAdmin(database.superuserUrl, async (client) => {
    const { rows } = await client.query('select from kelpie.wallet_alerts where low_since is not null');
    return rows.length === 1;
  });
}

/** Until the watch has seen how it is now. */
async function untilLow(low: boolean): Promise<void> {
  await eventually(`the wallet is ${low ? '' : 'not '}low`, async () => {
    await round('low-wallets');
    return (await isLow()) === low;
  });
}

async function spend(pounds: string): Promise<void> {
  const answer = await createPayout({ url: world.api.url, key: partner.key }, payoutBody({ amount_gbp: pounds }));
  assert.equal(answer.status, 201, answer.text);
}

test('a partner is told once each time that its wallet falls below what it said', async () => {
  const answer = await setThreshold('9999.00');
  assert.equal(valueAt(answer.json, 'wallet_low_usdc'), '9999.00');
  await round('low-wallets');
  await spend('10.00');
  await untilLow(true);
  await spend('10.00');
  for (let times = 0; times < 3; times += 1) await round('low-wallets');
  await eventually('the mail is there', async () => reported() === 1);
  await untilDeposit(database, await sendUsdc(bank, places.addressId, '1500.00'), 'credited');
  await untilLow(false);
  await spend('1300.00');
  await untilLow(true);
  await eventually('the second mail is there', async () => reported() === 2);
  const mail = world.inbox.mails().find((one) => subject.test(one.subject));
  assert.match(
    mail?.text.replaceAll(/\s+/g, ' ') ?? '',
    /holds [\d,]+\.\d\d USDC, below your low-balance alert of 9,999\.00 USDC/,
  );
});

test('another threshold is another reason to tell, and none is none', async () => {
  await setThreshold('9998.00');
  await eventually('the third mail is there', async () => {
    await round('low-wallets');
    return reported() === 3;
  });
  await setThreshold('9998.00');
  await setThreshold(null);
  for (let times = 0; times < 3; times += 1) await round('low-wallets');
  await setThreshold('1.00');
  await untilLow(false);
  assert.equal(reported(), 3);
});

test('what is no amount is refused', async () => {
  for (const low of ['-1.00', '1', '1.5', 'x', '1e3', 7, `${'9'.repeat(13)}.00`]) {
    const body = { wallet_low_usdc: low };
    const answer = await callAs(admin, '/v1/account?environment=sandbox', { method: 'PATCH', body });
    assert.deepEqual([answer.status, answer.code], [422, 'invalid_request'], String(low));
  }
});

test('a wallet that is topped up to just above it, and falls again, is told of when a day is over', async () => {
  const untilNotified = async (times: number): Promise<void> => {
    await eventually('the mail is there', async () => {
      await round('low-wallets');
      return reported() === times;
    });
  };
  await setThreshold('9999.00');
  await untilNotified(4);
  for (let times = 0; times < 2; times += 1) {
    await untilDeposit(database, await sendUsdc(bank, places.addressId, '500.00'), 'credited');
    await untilLow(false);
    await spend('500.00');
    await untilLow(true);
  }
  assert.equal(reported(), 4);
  // Nobody is signed in any more then, so this comes last.
  await passTime(world, 24 * 60 * 60_000);
  await untilNotified(5);
});
