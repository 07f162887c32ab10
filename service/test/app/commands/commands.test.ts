import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { listAt, textAt, valueAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { sendPounds } from '@kelpie/sandbox-bank/test/topping-up.ts';
import { openRounds, startFundingWorld, untilDeposit, untilFunded } from '../../funding/topping-up.ts';
import { createPayout, getPayout } from '../../harness/client.ts';
import { asSecondPerson, kelpieAdmin } from './kelpie-admin.ts';

const world = await startFundingWorld({ settleAfterMs: 3_600_000 });
const { database, bank, partner } = world;
const client = { url: world.api.url, key: partner.key };
const slug = `p-${partner.partnerId.slice(-12)}`;
const round = await openRounds(database);
await round('open-funding');
const places = await untilFunded(database, partner);

async function readPartner(): Promise<{ status: string; rate_factor: number; acts: number }> {
  return asAdmin(database.superuserUrl, async (admin) => {
    const { rows } = await admin.query<{ status: string; rate_factor: number; acts: number }>(
      'select status, rate_factor, (select count(*)::int from kelpie.audit_log) as acts from kelpie.partners where id = $1',
      [partner.partnerId],
    );
    assert(rows[0] !== undefined);
    return rows[0];
  });
}

test('every command has help that says what it does and what it takes', async () => {
  const whole = await kelpieAdmin(database, ['--help']);
  assert.equal(whole.code, 0);
  for (const group of ['partners', 'payouts', 'deposits', 'ledger', 'audit', 'migrate'])
    assert(whole.said.includes(group));
  assert.match(whole.said, /Start here/);
  const suspend = await kelpieAdmin(database, ['partners', 'suspend', '--help']);
  for (const part of ['--reason', '--dry-run', '--json', 'Payouts in flight continue'])
    assert(suspend.said.replaceAll(/\s+/g, ' ').includes(part), part);
});

test('a login that is no operator changes nothing', async () => {
  const args = ['partners', 'suspend', slug, '--reason', 'test'];
  for (const url of [database.serviceUrl, database.readerUrl]) {
    const refused = await kelpieAdmin(database, args, { KELPIE_OPERATOR_DATABASE_URL: url });
    assert.equal(refused.code, 2);
    assert.match(refused.said, /^kelpie_(service|reader) is not an operator/m);
  }
  assert.deepEqual(await readPartner(), { status: 'active', rate_factor: 1, acts: 1 });
});

test('a dry run says what would be done, and leaves neither a change nor a row', async () => {
  const tried = await kelpieAdmin(database, ['partners', 'suspend', slug, '--reason', 'test', '--dry-run']);
  assert.equal(tried.code, 0, tried.said);
  assert.match(tried.said, /Dry run. Nothing changed. Without --dry-run:\n.* changed from active to suspended/);
  assert.deepEqual(await readPartner(), { status: 'active', rate_factor: 1, acts: 1 });
});

test('a suspended partner makes no payouts and reads on; activated, it pays again; both are in the log', async () => {
  const suspended = await kelpieAdmin(database, ['partners', 'suspend', slug, '--reason', 'unpaid invoice', '--json']);
  assert.equal(suspended.code, 0, suspended.said);
  assert.deepEqual([valueAt(suspended.data(), 'from'), valueAt(suspended.data(), 'to')], ['active', 'suspended']);
  await eventually('the api knows', async () => (await createPayout(client)).code === 'partner_not_active');
  const again = await kelpieAdmin(database, ['partners', 'suspend', slug, '--reason', 'again']);
  assert.equal(again.code, 2);
  assert.match(again.said, /is suspended. Nothing to suspend/);
  // By its id as well.
  const activate = ['partners', 'activate', partner.partnerId, '--reason', 'paid'];
  const proposed = await kelpieAdmin(database, [...activate, '--json']);
  assert.equal(proposed.code, 0, proposed.said);
  assert.equal((await createPayout(client)).code, 'partner_not_active');
  const approve = ['approvals', 'approve', textAt(proposed.data(), 'id')];
  const activated = await kelpieAdmin(database, approve, asSecondPerson(database));
  assert.equal(activated.code, 0, activated.said);
  // It is not verified, so it is back where it was before: in its sandbox.
  assert.deepEqual(await readPartner(), { status: 'onboarding', rate_factor: 1, acts: 4 });
  await eventually('it pays again', async () => (await createPayout(client)).status === 201);
  const log = (await kelpieAdmin(database, ['audit', 'list', '--json'])).data();
  assert(Array.isArray(log));
  assert.deepEqual(
    log.map((row) => [textAt(row, 'operator'), textAt(row, 'action'), textAt(row, 'subject')]),
    [
      ['grace@kelpie.example', 'partner.activate', partner.partnerId],
      ['ada@kelpie.example', 'proposal.create', textAt(proposed.data(), 'id')],
      ['ada@kelpie.example', 'partner.suspend', partner.partnerId],
      ['ada@kelpie.example', 'audit.begin', 'log'],
    ],
  );
  assert.deepEqual(valueAt(log[2], 'detail'), { from: 'active', to: 'suspended', reason: 'unpaid invoice' });
});

test('limits are raised by a factor, within bounds', async () => {
  const raised = await kelpieAdmin(database, ['partners', 'limits', slug, '--factor', '5', '--reason', 'a launch']);
  assert.equal(raised.code, 0, raised.said);
  assert.match(raised.said, /changed from × 1 to × 5[\s\S]*as entry \d+\.\nAnchor: \d+:[0-9a-f]{64}/);
  assert.equal((await readPartner()).rate_factor, 5);
  for (const factor of ['0', '1001', 'x', '1.5']) {
    const refused = await kelpieAdmin(database, ['partners', 'limits', slug, '--factor', factor, '--reason', 'no']);
    assert.notEqual(refused.code, 0, factor);
  }
});

test('partners are listed and shown, for people and for programs', async () => {
  const listed = (await kelpieAdmin(database, ['partners', 'list', '--json'])).data();
  assert(Array.isArray(listed));
  assert(listed.some((one) => textAt(one, 'slug') === slug));
  const shown = await kelpieAdmin(database, ['partners', 'show', slug]);
  assert.match(shown.said, /sandbox rail provider_sandbox, wallet \d+\.\d{6} USDC, price plan standard-1, 1 key,/);
  assert.match(shown.said, /top-up methods: bank_transfer, usdc/);
  const nobody = await kelpieAdmin(database, ['partners', 'show', 'nobody']);
  assert.equal(nobody.code, 2);
  assert.match(nobody.said, /No partner has the slug or id nobody/);
});

test('stuck payouts are listed, one tells its story, and asking the bank about it moves it on', async () => {
  const { id } = await createPayout(client);
  const stuck = (await kelpieAdmin(database, ['payouts', 'stuck', '--older-than', '0', '--json'])).data();
  assert(Array.isArray(stuck));
  const states = stuck.filter((one) => textAt(one, 'id') === id).map((one) => textAt(one, 'state'));
  assert.deepEqual(states, ['processing']);
  const { rows } = await asAdmin(database.superuserUrl, async (admin) =>
    admin.query<{ payment: string }>('select bank_payment_id as payment from kelpie.payouts where id = $1', [id]),
  );
  await bank.control('/webhooks', { mode: 'lose' });
  await bank.control(`/transfers/${rows[0]?.payment}/settle`);
  const asked = await kelpieAdmin(database, ['payouts', 'refresh', id]);
  assert.equal(asked.code, 0, asked.said);
  await eventually('it is completed', async () => (await getPayout(client, id)).payout === 'completed');
  await bank.control('/webhooks', { mode: 'normal' });
  const auditTrail = await kelpieAdmin(database, ['payouts', 'show', id]);
  assert.match(auditTrail.said, new RegExp(`Payout ${id}: completed`));
  const unknown = await kelpieAdmin(database, ['payouts', 'refresh', '01a1d000-0000-7000-8000-00000000000f']);
  assert.equal(unknown.code, 2);
  assert.match(unknown.said, /No payout has the id/);
});

test('deposits are listed and tell their story, without who sent them', async () => {
  const bankId = await sendPounds(bank, places.accountId);
  await bank.control(`/deposits/${bankId}/settle`);
  const { id } = await untilDeposit(database, bankId, 'credited');
  const listed = (await kelpieAdmin(database, ['deposits', 'list', '--partner', slug, '--json'])).data();
  assert(Array.isArray(listed));
  assert.deepEqual(
    listed.map((one) => [textAt(one, 'id'), textAt(one, 'state'), textAt(one, 'net_micro_usdc')]),
    [[id, 'credited', '124690000']],
  );
  for (const named of [id, bankId]) {
    const { said } = await kelpieAdmin(database, ['deposits', 'show', named]);
    assert.match(
      said,
      /sent 100\.00 GBP at 1 USDC = 0\.8 GBP, wallet credit 124\.690000 USDC, bank fee 0\.310000 USDC/,
    );
    assert.match(said, /wallet +124\.690000 USDC CR +wallet \+124\.690000 USDC, balance \d+\.\d{6} USDC/);
    assert.doesNotMatch(said, /Tideway/);
  }
  const auditTrail = (await kelpieAdmin(database, ['deposits', 'show', id, '--json'])).data();
  assert.equal(listAt(auditTrail, 'entries').length, 2);
  assert.deepEqual((await kelpieAdmin(database, ['deposits', 'list', '--needs-attention', '--json'])).data(), []);
});

test('the log verifies by the command, which ends with 1 where it does not', async () => {
  const verified = await kelpieAdmin(database, ['audit', 'verify']);
  assert.equal(verified.code, 0, verified.said);
  const [, anchor = ''] = /Last entry: (\d+:[0-9a-f]{64})/.exec(verified.said) ?? [];
  assert.equal((await kelpieAdmin(database, ['audit', 'verify', '--anchor', anchor])).code, 0);
  await asAdmin(database.superuserUrl, async (admin) => {
    await admin.query('set session_replication_role = replica');
    await admin.query(`update kelpie.audit_log set operator = 'nobody' where seq = 1`);
  });
  const found = await kelpieAdmin(database, ['audit', 'verify', '--json']);
  assert.equal(found.code, 1);
  assert.match(JSON.stringify(valueAt(found.data(), 'differences')), /entry 1 was changed/);
});
