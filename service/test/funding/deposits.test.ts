import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { listAt, textAt, valueAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { sendPounds, sendUsdc } from '@kelpie/sandbox-bank/test/topping-up.ts';
import { monthOf } from '../../src/platform/london-month.ts';
import { addressToken } from '../harness/confirmed-addresses.ts';
import { passTime } from '../harness/clock.ts';
import { call, createPayout, payoutBody, type ApiAnswer } from '../harness/client.ts';
import { confirming } from '../harness/confirming.ts';
import { assertAllHolds } from '../harness/invariants.ts';
import { createSimulatedPartner, type TestPartner } from '../harness/partners.ts';
import { callAs, signIn } from '../harness/people.ts';
import { untilQuiet } from '../harness/waits.ts';
import { createByCommand, untilConnected } from '../partners/sandboxes.ts';
import {
  balanceOf,
  findDeposit,
  longestPauseMs,
  openRounds,
  startFundingWorld,
  subjectsTo,
  untilDeposit,
  untilFunded,
  type Places,
} from './topping-up.ts';

// Long enough for a deposit to be stopped on its way.
const world = await startFundingWorld({ settleAfterMs: 1_500 });
const { bank, database } = world;
const round = await openRounds(database);
await round('open-funding');
const float = 10_000_000_000n;

async function newPartner(): Promise<{
  partner: TestPartner;
  places: Places;
  ask: (path: string) => Promise<ApiAnswer>;
}> {
  const partner = await world.addPartner();
  await round('open-funding');
  const places = await untilFunded(database, partner);
  return { partner, places, ask: async (path) => call({ url: world.api.url, key: partner.key }, path) };
}

async function webhooks(mode: string): Promise<void> {
  await bank.control('/webhooks', { mode });
}

test('a new partner has an account and an address within seconds, and is told where to send what', async () => {
  const made = await createByCommand(database);
  const partnerEnvironment = { partnerId: made.partnerId, environment: 'sandbox' } as const;
  const client = { url: world.api.url, key: made.key };
  const before = await call(client, '/v1/funding');
  await untilConnected(database, made.partnerId, 20_000);
  await untilFunded(database, partnerEnvironment, 20_000);
  const { json } = await call(client, '/v1/funding');
  assert.match(textAt(json, 'bank_transfer.sort_code'), /^\d{6}$/);
  assert.match(textAt(json, 'bank_transfer.account_number'), /^\d{8}$/);
  assert.equal(textAt(json, 'bank_transfer.account_holder_name'), 'Acme & Söhne');
  assert.match(textAt(json, 'reference'), /^KELPIE [0-9A-F]{8}$/);
  assert.equal(textAt(json, 'reference'), textAt(before.json, 'reference'));
  const account = await call(client, '/v1/account');
  assert.equal(textAt(account.json, 'funding_wallet.address'), textAt(json, 'usdc.address'));
});

test('a partner that is not at a bank has neither an account nor an address', async () => {
  const { key } = await createSimulatedPartner(database);
  const { json } = await call({ url: world.api.url, key }, '/v1/funding');
  assert.deepEqual([valueAt(json, 'bank_transfer'), valueAt(json, 'usdc')], [null, null]);
});

test('a bank that can not open them just now is asked again, and opens one of each', async () => {
  const partner = await world.addPartner();
  await bank.control('/faults', { on: 'virtual_account.create', kind: 'drop_reply', times: 1 });
  await bank.control('/faults', { on: 'liquidation_address.create', kind: 'error_after', times: 1 });
  for (let tries = 0; tries < 3; tries += 1) await round('open-funding');
  const { accountId } = await untilFunded(database, partner);
  const { json } = await call({ url: world.api.url, key: partner.key }, '/v1/funding');
  const page = await (await fetch(bank.url)).text();
  assert.equal(page.split(accountId).length - 1, 1, 'the bank has another account for it');
  assert.match(textAt(json, 'usdc.address'), /^0x/);
});

test('pounds are credited once, net of the fee, by the webhook alone, with sender, rate and fee; and a mail tells', async () => {
  const { partner, places, ask } = await newPartner();
  const admin = await signIn(database, partner, { url: world.api.url });
  const sent = await bank.control('/deposits', {
    virtual_account_id: places.accountId,
    amount_gbp: '100.00',
    sender_name: 'Ada Canaryname',
    reference: 'Top-up 42',
  });
  const row = await untilDeposit(database, textAt(sent, 'id'), 'credited');
  assert.equal(await balanceOf(database, partner), float + 124_690_000n);
  const { json } = await ask('/v1/deposits');
  const [deposit] = listAt(json, 'data');
  const expected = {
    id: row.id,
    object: 'deposit',
    environment: 'sandbox',
    status: 'credited',
    method: 'bank_transfer',
    amount_usdc: '124.69',
    fee_usdc: '0.31',
    sent_gbp: '100.00',
    gbp_per_usd: 0.8,
    reversed_usdc: null,
    sender: { name: 'Ada Canaryname', account_last4: '9911', address: null, reference: 'Top-up 42' },
  };
  assert.deepEqual(
    Object.keys(expected).map((field) => valueAt(deposit, field)),
    Object.values(expected),
  );
  const mail = await world.inbox.waitForMail(admin.email);
  assert.equal(mail.subject, '124.69 USDC added to your sandbox wallet');
  assert(mail.text.includes('Ada Canaryname') && mail.text.includes('£100.00') && mail.text.includes('0.31 USDC'));
  const activity = listAt((await callAs(admin, '/v1/activity')).json, 'data');
  const recorded = activity.filter((entry) => textAt(entry, 'action') === 'deposit.credit');
  assert.deepEqual(
    recorded.map((entry) => [textAt(entry, 'by'), textAt(entry, 'detail')]),
    [['bank', row.id]],
  );
  await untilQuiet(database);
  await assertAllHolds(world);
});

test('USDC is credited as it came, less what the network cost, and paid with at once', async () => {
  const { partner, places, ask } = await newPartner();
  const id = await sendUsdc(bank, places.addressId, '250.123456');
  await untilDeposit(database, id, 'credited');
  assert.equal(await balanceOf(database, partner), float + 250_113_456n);
  const [deposit] = listAt((await ask('/v1/deposits')).json, 'data');
  assert.deepEqual(
    ['method', 'amount_usdc', 'fee_usdc', 'sent_gbp', 'gbp_per_usd', 'sender.name'].map((path) =>
      valueAt(deposit, path),
    ),
    ['usdc', '250.11', '0.01', null, null, null],
  );
  assert.match(textAt(deposit, 'sender.address'), /^0x[0-9a-f]{40}$/);
  // More than the float alone: (8,050.00 + 40.75) / 0.79
  const big = await createPayout({ url: world.api.url, key: partner.key }, payoutBody({ amount_gbp: '8050.00' }));
  assert.equal(big.status, 201, big.text);
  await untilQuiet(database);
  await assertAllHolds(world);
});

test('a named contact is written to in place of the admins', async () => {
  const { partner, places } = await newPartner();
  const admin = await signIn(database, partner, { url: world.api.url });
  const body = { contact_email: `treasury-${partner.partnerId.slice(-6)}@acme.test` };
  await confirming(database, world.inbox).call(admin, '/v1/account?environment=sandbox', { method: 'PATCH', body });
  const token = addressToken(await world.inbox.waitForMail(body.contact_email));
  await call({ url: world.api.url, key: null }, '/v1/auth/confirm-address', { method: 'POST', body: { token } });
  await sendUsdc(bank, places.addressId, '5.00');
  await eventually('the contact is told', async () => subjectsTo(world, body.contact_email).length === 2);
  const toAdmin = subjectsTo(world, admin.email).filter((subject) => !/^Your code|contact email/.test(subject));
  assert.deepEqual(toAdmin, []);
});

test('a deposit is pending until the bank has processed it, and is shown so', async () => {
  const { partner, places, ask } = await newPartner();
  const id = await sendPounds(bank, places.accountId);
  await bank.control(`/deposits/${id}/hold`);
  await untilDeposit(database, id, 'pending');
  assert.equal(await balanceOf(database, partner), float);
  const [deposit] = listAt((await ask('/v1/deposits?status=pending')).json, 'data');
  assert.deepEqual([valueAt(deposit, 'sent_gbp'), valueAt(deposit, 'amount_usdc')], ['100.00', null]);
  await bank.control(`/deposits/${id}/release`);
  await untilDeposit(database, id, 'credited');
  assert.deepEqual(listAt((await ask('/v1/deposits?status=pending')).json, 'data'), []);
});

test('where every webhook is lost, asking the bank credits it all the same', async () => {
  const { partner, places } = await newPartner();
  await webhooks('lose');
  const ids = [await sendPounds(bank, places.accountId), await sendUsdc(bank, places.addressId)];
  await eventually('the bank has credited both', async () => {
    const { credits } = await bank.record();
    return ids.every((id) => credits.some((credit) => credit.deposit_id === id));
  });
  await passTime(world, longestPauseMs);
  await round();
  for (const id of ids) await untilDeposit(database, id, 'credited');
  await webhooks('normal');
  assert.equal(await balanceOf(database, partner), float + 124_690_000n + 99_990_000n);
  await assertAllHolds(world);
});

async function readByTheClock(cron: string): Promise<void> {
  await asAdmin(database.superuserUrl, async (client) =>
    client.query(`update pgboss.schedule set cron = $1 where name = 'read-deposits'`, [cron]),
  );
}

/** That wait to be begun, those that the clock has just asked for among them. */
async function countReadingsAhead(): Promise<number> {
  return asAdmin(database.superuserUrl, async (client) => {
    const { rows } = await client.query<{ waiting: number }>(
      `select count(*)::integer as waiting from pgboss.job
       where name in ('read-deposits', '__pgboss__send-it') and state <= 'active'`,
    );
    return rows[0]?.waiting ?? 0;
  });
}

test('webhooks that come three times each, in disorder, and a hundred times more at once, credit once', async () => {
  const { partner, places } = await newPartner();
  await webhooks('repeat');
  const first = [await sendPounds(bank, places.accountId), await sendUsdc(bank, places.addressId)];
  await webhooks('shuffle');
  const second = [await sendPounds(bank, places.accountId), await sendUsdc(bank, places.addressId)];
  for (const id of [...first, ...second]) await untilDeposit(database, id, 'credited');
  await webhooks('normal');
  for (let times = 0; times < 3; times += 1) await bank.control('/webhooks/redeliver', { all: true });
  assert((await countReadingsAhead()) < 10, 'each of them is another reading');
  await passTime(world, longestPauseMs);
  await Promise.all([round(), round(), round()]);
  const last = await sendUsdc(bank, places.addressId);
  await untilDeposit(database, last, 'credited');
  assert.equal(await balanceOf(database, partner), float + 2n * 124_690_000n + 3n * 99_990_000n);
  await assertAllHolds(world);
});

test('a webhook is followed at once, also where its source is due and waits for the next round', async () => {
  const { places } = await newPartner();
  await readByTheClock('0 0 29 2 *');
  try {
    await eventually('no reading is under way', async () => (await countReadingsAhead()) === 0);
    await passTime(world, longestPauseMs);
    await untilDeposit(database, await sendUsdc(bank, places.addressId), 'credited');
  } finally {
    await readByTheClock('* * * * *');
  }
});

test('one that is sent back before it was credited never reaches the wallet', async () => {
  const { partner, places, ask } = await newPartner();
  for (const id of [await sendPounds(bank, places.accountId), await sendUsdc(bank, places.addressId)]) {
    await bank.control(`/deposits/${id}/hold`);
    await bank.control(`/deposits/${id}/refund`);
    await untilDeposit(database, id, 'refunded');
  }
  assert.equal(await balanceOf(database, partner), float);
  const shown = listAt((await ask('/v1/deposits?status=refunded')).json, 'data');
  assert.equal(shown.length, 2);
  await assertAllHolds(world);
});

for (const method of ['pounds', 'USDC'] as const) {
  test(`${method} that the bank takes back are taken from the wallet again, once, and a mail tells`, async () => {
    const { partner, places, ask } = await newPartner();
    const admin = await signIn(database, partner, { url: world.api.url });
    const id = method === 'pounds' ? await sendPounds(bank, places.accountId) : await sendUsdc(bank, places.addressId);
    await untilDeposit(database, id, 'credited');
    await bank.control(`/deposits/${id}/refund`);
    await untilDeposit(database, id, 'reversed');
    await bank.control('/webhooks/redeliver', { all: true });
    assert.equal(await balanceOf(database, partner), float);
    const [deposit] = listAt((await ask('/v1/deposits')).json, 'data');
    assert.equal(valueAt(deposit, 'reversed_usdc'), valueAt(deposit, 'amount_usdc'));
    await eventually('both mails are there', async () => subjectsTo(world, admin.email).length >= 2);
    assert.match(subjectsTo(world, admin.email)[1] ?? '', /^The bank reversed a top-up of [\d.]+ USDC$/);
    await assertAllHolds(world);
  });
}

test('what was taken back and is spent already is owed, and the next top-up pays for it first', async () => {
  const { partner, places, ask } = await newPartner();
  const id = await sendUsdc(bank, places.addressId, '1000.01');
  await untilDeposit(database, id, 'credited');
  // (8,600.00 + 43.50) / 0.79 = 10,941.13…, so that 58.86 are left of 11,000.00.
  const spent = await createPayout({ url: world.api.url, key: partner.key }, payoutBody({ amount_gbp: '8600.00' }));
  assert.equal(spent.status, 201, spent.text);
  const left = await balanceOf(database, partner);
  assert(left < 1_000_000_000n);
  await bank.control(`/deposits/${id}/refund`);
  const reversed = await untilDeposit(database, id, 'reversed');
  assert.equal(await balanceOf(database, partner), 0n);
  assert.equal(BigInt(reversed.owed), 1_000_000_000n - left);
  await untilQuiet(database);
  await assertAllHolds(world);
  const small = await untilDeposit(database, await sendUsdc(bank, places.addressId, '100.01'), 'credited');
  assert.deepEqual([small.repaid, await balanceOf(database, partner)], ['100000000', 0n]);
  const large = await untilDeposit(database, await sendUsdc(bank, places.addressId, '2000.01'), 'credited');
  assert.equal(BigInt(large.repaid), BigInt(reversed.owed) - 100_000_000n);
  assert.equal(await balanceOf(database, partner), 2_000_000_000n - BigInt(large.repaid));
  const statement = await ask(`/v1/statement?month=${monthOf(new Date())}`);
  const kinds = listAt(statement.json, 'movements').map((movement) => textAt(movement, 'kind'));
  // What went to the debt alone never moved the wallet.
  assert.deepEqual(kinds, ['sandbox_float', 'deposit', 'hold', 'deposit_reversal', 'deposit'], statement.text);
  const known = new Set(listAt((await ask('/v1/deposits')).json, 'data').map((deposit) => textAt(deposit, 'id')));
  // The first is the partner's float, which no bank sent.
  for (const movement of listAt(statement.json, 'movements').slice(1)) {
    const depositId = valueAt(movement, 'deposit_id');
    if (textAt(movement, 'kind') === 'hold') assert.equal(depositId, null);
    else assert(typeof depositId === 'string' && known.has(depositId), statement.text);
  }
  await assertAllHolds(world);
});

test('one that is taken back weeks later, and the webhook of that is lost, is found by the look back of each day', async () => {
  const { partner, places } = await newPartner();
  const ids = [await sendUsdc(bank, places.addressId), await sendUsdc(bank, places.addressId)];
  for (const id of ids) await untilDeposit(database, id, 'credited');
  await webhooks('lose');
  await bank.control(`/deposits/${ids[0] ?? ''}/refund`);
  await passTime(world, longestPauseMs);
  await round();
  await round('backfill-deposits');
  await eventually('it is taken back', async () => {
    await round();
    return (await findDeposit(database, ids[0] ?? ''))?.state === 'reversed';
  });
  await webhooks('normal');
  assert.equal(await balanceOf(database, partner), float + 99_990_000n);
  await assertAllHolds(world);
});

test('a bank that answers with nonsense, errors or nothing credits nothing wrong, and the truth later', async () => {
  const { partner, places } = await newPartner();
  for (const kind of ['error_after', 'drop_reply', 'truncated', 'wrong_types', 'empty', 'html'] as const) {
    await bank.control('/faults', { on: 'deposit.read', kind, times: 2 });
    const id = await sendUsdc(bank, places.addressId, '10.01');
    await eventually(`it is credited after ${kind}`, async () => {
      await passTime(world, 61_000);
      await round();
      return (await findDeposit(database, id))?.state === 'credited';
    });
  }
  await bank.control('DELETE /faults');
  assert.equal(await balanceOf(database, partner), float + 60_000_000n);
  await assertAllHolds(world);
});

test('one that can not be taken holds up no other, is tried again, and is taken as soon as it can be', async () => {
  const { partner, places } = await newPartner();
  const other = await world.addPartner();
  await webhooks('lose');
  const bad = await sendUsdc(bank, places.addressId, '10.01');
  // The bank's id of it is taken by a row of another partner, which row security hides.
  await asAdmin(database.superuserUrl, async (client) =>
    client.query(
      `insert into kelpie.deposits (id, partner_id, environment, method, bank_deposit_id, state, revision, bank_state, updated_at)
       values (gen_random_uuid(), $1, 'sandbox', 'usdc', $2, 'pending', 1, 'x', now())`,
      [other.partnerId, bad],
    ),
  );
  const later = await sendUsdc(bank, places.addressId, '20.01');
  await eventually('the later one is credited', async () => {
    await passTime(world, 61_000);
    await round();
    return (await findDeposit(database, later))?.state === 'credited';
  });
  await world.worker?.waitForEvent('deposit.not_taken');
  assert.equal(await balanceOf(database, partner), float + 20_000_000n);
  await asAdmin(database.superuserUrl, async (client) => {
    await client.query('set session_replication_role = replica');
    await client.query('delete from kelpie.deposits where bank_deposit_id = $1', [bad]);
  });
  // Never longer than a minute, whatever came since.
  await eventually('the bad one is credited', async () => {
    await passTime(world, 61_000);
    await round();
    return (await findDeposit(database, bad))?.state === 'credited';
  });
  await webhooks('normal');
  assert.equal(await balanceOf(database, partner), float + 30_000_000n);
  await assertAllHolds(world);
});

test('one that the bank is stuck with is an alarm, moves nothing, and goes on when the bank does', async () => {
  const { partner, places } = await newPartner();
  const id = await sendPounds(bank, places.accountId);
  await bank.control(`/deposits/${id}/fail`);
  await world.worker?.waitForEvent('deposit.needs_attention');
  const stuck = await findDeposit(database, id);
  assert.deepEqual([stuck?.state, stuck?.trouble], ['pending', 'bank status error']);
  assert.equal(await balanceOf(database, partner), float);
});

test('a list goes on where the last page ended, and takes filters as that of payouts does', async () => {
  const { places, ask } = await newPartner();
  for (let n = 0; n < 3; n += 1) await untilDeposit(database, await sendUsdc(bank, places.addressId), 'credited');
  await untilDeposit(database, await sendPounds(bank, places.accountId), 'credited');
  const seen: string[] = [];
  let path: string | null = '/v1/deposits?limit=3&status=credited';
  while (path !== null) {
    const answer: ApiAnswer = await ask(path);
    seen.push(...listAt(answer.json, 'data').map((deposit) => textAt(deposit, 'id')));
    const [, next] = /<[^>]*(\/v1\/deposits[^>]*)>; rel="next"/.exec(answer.headers.get('link') ?? '') ?? [];
    path = next ?? null;
  }
  assert.equal(new Set(seen).size, 4);
  assert.deepEqual(seen, seen.toSorted().toReversed());
  const count = async (query: string): Promise<number> =>
    listAt((await ask(`/v1/deposits?${query}`)).json, 'data').length;
  assert.deepEqual(
    [
      await count('method=usdc'),
      await count('method=bank_transfer'),
      await count('status=pending,refunded'),
      await count('created_before=2020-01-01T00:00:00Z'),
      await count('created_after=2020-01-01T00:00:00Z'),
    ],
    [3, 1, 0, 0, 4],
  );
  for (const wrong of [
    'status=completed',
    'method=cash',
    'limit=0',
    'cursor=x',
    'created_after=now',
    'stauts=pending',
  ]) {
    assert.equal((await ask(`/v1/deposits?${wrong}`)).code, 'invalid_request', wrong);
  }
});

test('nobody sees the deposits of another, and a suspended partner still sees its own', async () => {
  const { places } = await newPartner();
  const other = await newPartner();
  await untilDeposit(database, await sendUsdc(bank, places.addressId), 'credited');
  assert.deepEqual(listAt((await other.ask('/v1/deposits')).json, 'data'), []);
});

test('no process has said who sends, or to which account', () => {
  for (const child of world.processes) assert.doesNotMatch(child.output(), /Canaryname|Top-up 42|55779911|Söhne/);
});
