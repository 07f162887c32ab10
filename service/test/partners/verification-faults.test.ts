import assert from 'node:assert/strict';
import { createHash, createSign, generateKeyPairSync, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { valueAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { openPool } from '../../src/platform/database/pool.ts';
import { inTransaction, type Transaction } from '../../src/platform/database/transaction.ts';
import { createLogger } from '../../src/platform/logging.ts';
import { beginVerification } from '../../src/partners/verification/store.ts';
import { payoutBody } from '../harness/client.ts';
import { callAs } from '../harness/people.ts';
import {
  askToStart,
  liveOf,
  openBusiness,
  openRounds,
  show,
  start,
  startVerifyingWorld,
  subjectsTo,
  untilShown,
  verificationsOf,
  walletsAtBank,
  type Business,
} from './verifying.ts';

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString().trim();
const world = await startVerifyingWorld();
const { bank, database, clock } = world;
const lookAround = await openRounds(database);

/** One that knows our own key, so that we can sign what the bank would not. */
const ours = await world.addApi({ KELPIE_LIVE_BANK_WEBHOOK_KEY: pem, KELPIE_SANDBOX_BANK_WEBHOOK_KEY: pem });

async function deliver(verificationId: string, { environment = 'live', key = privateKey } = {}): Promise<number> {
  const body = JSON.stringify({
    event_id: randomUUID(),
    event_category: 'kyc_link',
    event_object_id: verificationId,
    // Whatever it claims is not believed.
    event_object: { id: verificationId, kyc_status: 'approved', tos_status: 'approved', customer_id: randomUUID() },
  });
  // The api's clock is moved here and there.
  const at = Date.now() + movedMs;
  const digest = createHash('sha256').update(`${at}.${body}`).digest();
  const signature = `t=${at},v0=${createSign('RSA-SHA256').update(digest).sign(key, 'base64')}`;
  const headers = { 'content-type': 'application/json', 'x-webhook-signature': signature };
  return (await fetch(`${ours.url}/bank-webhooks/${environment}`, { method: 'POST', headers, body })).status;
}

let movedMs = 0;
function passAMinute(): void {
  movedMs += 61_000;
  clock.move(61_000);
}

async function assertOpenedOnce(business: Business): Promise<void> {
  const [known] = await verificationsOf(database, business.partnerId);
  const wallets = await walletsAtBank(bank, known?.customer_id ?? '');
  assert.equal(wallets.length, 1, 'one wallet at the bank');
  assert.deepEqual(await liveOf(database, business.partnerId), [
    { status: 'active', rail: 'provider_production', customer: known?.customer_id, wallet: wallets[0], balance: 0 },
  ]);
  // Whoever pays in live is mailed codes, too.
  const subjects = (): string[] =>
    subjectsTo(world, business.admin).filter((subject) => !subject.startsWith('Your code'));
  await eventually('the mail is there', async () => subjects().length > 0);
  assert.deepEqual(subjects(), [`${business.name} is verified`]);
}

test('a bank that is down when a verification is started: 503, nothing is kept, and the next try begins it', async () => {
  const business = await openBusiness(world);
  await bank.child.stop();
  const refused = await askToStart(business.admin);
  assert.deepEqual([refused.status, refused.code], [503, 'unavailable']);
  assert.equal((await show(business)).status, 'not_started');
  await bank.restart();
  await eventually('it begins', async () => (await askToStart(business.admin)).status === 200, 20_000);
  assert.equal((await show(business)).status, 'action_required');
});

test('an api without a live bank says 503, and starts nothing', async () => {
  const api = await world.addApi({ KELPIE_LIVE_BANK_URL: 'none', KELPIE_LIVE_BANK_API_KEY: 'none' });
  const business = await openBusiness({ ...world, api });
  const refused = await askToStart(business.admin);
  assert.deepEqual([refused.status, refused.code], [503, 'unavailable']);
});

for (const point of ['bank.start_verification.before', 'bank.start_verification.after']) {
  test(`kill -9 at ${point}: the next try finds what the bank began, and there is one`, async () => {
    const dying = await world.addApi({ KELPIE_TEST_FAILPOINT: `${point}*1` });
    const business = await openBusiness(world);
    await assert.rejects(askToStart({ ...business.admin, url: dying.url }));
    await start(world, business);
    const atBank = await asAdmin(bank.databaseUrl, async (client) => {
      const { rows } = await client.query<{ id: string }>('select id from bank.kyc_links where email = $1', [
        business.admin.email,
      ]);
      return rows.map(({ id }) => id);
    });
    assert.deepEqual(
      (await verificationsOf(database, business.partnerId)).map(({ id }) => id),
      atBank,
    );
    assert.equal(atBank.length, 1);
  });
}

for (const point of ['bank.find_verification.after', 'bank.open_wallet.before', 'bank.open_wallet.after']) {
  test(`kill -9 at ${point}: another worker opens one live environment, with one wallet and one mail`, async () => {
    const business = await openBusiness(world);
    const id = await start(world, business);
    await world.worker?.stop();
    const dying = await world.addWorker({ KELPIE_TEST_FAILPOINT: `${point}*1` });
    await bank.control(`/kyc-links/${id}/approve`);
    assert.equal((await dying.exited).signal, 'SIGKILL');
    assert.deepEqual(await liveOf(database, business.partnerId), []);
    await world.restartWorker();
    passAMinute();
    await lookAround();
    await untilShown(business, 'approved', 60_000);
    await assertOpenedOnce(business);
  });
}

test('a bank that fails when it is asked how far it is, is asked again', async () => {
  const business = await openBusiness(world);
  const id = await start(world, business);
  await bank.control('/faults', { on: 'kyc_link.read', kind: 'error_before', times: 1 });
  await bank.control(`/kyc-links/${id}/approve`);
  await eventually('it has failed', async () => world.worker?.output().includes('verification.not_refreshed') === true);
  passAMinute();
  await lookAround();
  await untilShown(business, 'approved');
  await assertOpenedOnce(business);
});

/** What an admin's payout with real money is answered: a code is emailed, or live is closed. */
async function payLive({ admin }: Business): Promise<string> {
  const { code } = await callAs(admin, '/v1/payouts?environment=live', {
    method: 'POST',
    body: payoutBody({ amount_gbp: '10.00' }),
    headers: { 'idempotency-key': randomUUID() },
  });
  return code;
}

async function blocksOf({ partnerId }: Business): Promise<object[]> {
  return asAdmin(database.superuserUrl, async (client) => {
    const { rows } = await client.query<object>(
      'select cause, environment, reason, by from kelpie.payment_blocks where partner_id = $1 order by cause',
      [partnerId],
    );
    return rows;
  });
}

test('a business that the bank turns away after its approval pays no more in live, and a person is called', async () => {
  const business = await openBusiness(world);
  const id = await start(world, business);
  await bank.control(`/kyc-links/${id}/approve`);
  await untilShown(business, 'approved');
  assert.equal(await payLive(business), 'confirmation_required');
  await bank.control(`/kyc-links/${id}/status`, { kyc_status: 'offboarded' });
  await eventually('somebody is called', async () =>
    world.processes.some((child) => child.output().includes('verification.no_longer_approved')),
  );
  assert.deepEqual(await blocksOf(business), [
    {
      cause: 'verification',
      environment: 'live',
      reason: 'The bank withdrew its approval: offboarded',
      by: 'bank',
    },
  ]);
  assert.equal(await payLive(business), 'partner_not_active');
  const { status, provider } = await show(business);
  assert.deepEqual([status, provider], ['approved', 'offboarded']);
  await assertOpenedOnce(business);
  // The bank's change of mind opens nothing by itself.
  await bank.control(`/kyc-links/${id}/status`, { kyc_status: 'approved' });
  await untilNoJobs();
  assert.equal(await payLive(business), 'partner_not_active');
});

test('a suspended business that the bank approves gets its live environment, and pays nothing', async () => {
  const business = await openBusiness(world);
  const id = await start(world, business);
  await asAdmin(database.superuserUrl, async (client) =>
    client.query(`update kelpie.partners set status = 'suspended' where id = $1`, [business.partnerId]),
  );
  await bank.control(`/kyc-links/${id}/approve`);
  await untilShown(business, 'approved');
  assert.equal((await liveOf(database, business.partnerId)).length, 1);
  assert.equal(await payLive(business), 'partner_not_active');
  assert.deepEqual(
    (await blocksOf(business)).map((block) => valueAt(block, 'cause')),
    ['suspended'],
  );
});

test('two workers and a hundred webhooks at once: one live environment, one wallet, one mail', async () => {
  await world.addWorker();
  const business = await openBusiness(world);
  const id = await start(world, business);
  await bank.control('/webhooks', { mode: 'repeat' });
  await bank.control(`/kyc-links/${id}/approve`);
  const statuses = await Promise.all(Array.from({ length: 100 }, async () => deliver(id)));
  assert.deepEqual([...new Set(statuses)], [200]);
  await untilShown(business, 'approved');
  await bank.control('/webhooks/redeliver', { all: true });
  await untilNoJobs();
  await assertOpenedOnce(business);
  await bank.control('/webhooks', { mode: 'normal' });
});

test('webhooks in any order: what the bank says last is what counts', async () => {
  await bank.control('/webhooks', { mode: 'shuffle' });
  const business = await openBusiness(world);
  const id = await start(world, business);
  for (const act of ['review', 'reject', 'review', 'approve']) await bank.control(`/kyc-links/${id}/${act}`);
  await untilShown(business, 'approved', 60_000);
  await bank.control('/webhooks', { mode: 'normal' });
  await untilNoJobs();
  assert.equal((await show(business)).status, 'approved');
  assert.equal((await liveOf(database, business.partnerId)).length, 1);
});

test('a webhook is never believed: a made-up id, a false approval, a stranger, or the sandbox opens nothing', async () => {
  const business = await openBusiness(world);
  const id = await start(world, business);
  assert.equal(await deliver(randomUUID()), 200);
  assert.equal(await deliver(id), 200);
  assert.equal(await deliver(id, { environment: 'sandbox' }), 200);
  const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  assert.equal(await deliver(id, { key: stranger }), 401);
  await untilNoJobs();
  assert.equal((await show(business)).status, 'action_required');
  assert.deepEqual(await liveOf(database, business.partnerId), []);
});

test("another partner's verification opens nothing here, whether it is named, or the bank itself hands it out", async () => {
  const approved = await openBusiness(world);
  const id = await start(world, approved);
  await bank.control(`/kyc-links/${id}/approve`);
  await untilShown(approved, 'approved');
  // The same name, and an admin with the same address: the bank then answers with the verification that it has.
  const twin = await openBusiness(world);
  await asAdmin(database.superuserUrl, async (client) => {
    await client.query('update kelpie.partners set name = $2 where id = $1', [twin.partnerId, approved.name]);
    await client.query('update kelpie.members set email = $2 where partner_id = $1', [
      twin.partnerId,
      approved.admin.email,
    ]);
    await client.query('update kelpie.sessions set email = $2 where partner_id = $1', [
      twin.partnerId,
      approved.admin.email,
    ]);
  });
  const refused = await askToStart(twin.admin);
  assert.deepEqual([refused.status, refused.code], [503, 'unavailable']);
  assert.deepEqual(await verificationsOf(database, twin.partnerId), []);
  assert.deepEqual(await liveOf(database, twin.partnerId), []);
});

test('news that come while a verification is only just noted are not lost: they make a job', async () => {
  const { partnerId } = await openBusiness(world);
  const logger = createLogger('test', 'silent');
  const pool = openPool({ url: database.serviceUrl, connections: 1, applicationName: 'test', logger });
  try {
    const isNews = inTransaction(pool, { partnerId, environment: 'sandbox' }, async (tx) => {
      const id = randomUUID();
      const at = new Date();
      assert.equal(await beginVerification(tx, id, at), 'begun');
      const wake = 'select kelpie.wake_verification($1, $2) as is_news';
      const news = await tx.query<{ is_news: boolean }>(wake, [id, at]);
      const again = await tx.query<{ is_news: boolean }>(wake, [id, at]);
      return [news.rows[0]?.is_news, again.rows[0]?.is_news];
    });
    assert.deepEqual(await isNews, [true, false]);
  } finally {
    await pool.end();
  }
});

/** What the service's role is refused, whatever the code believes. */
test('the service can not open live by itself, nor approve a partner, nor touch the verification of another', async () => {
  const logger = createLogger('test', 'silent');
  const pool = openPool({ url: database.serviceUrl, connections: 1, applicationName: 'test', logger });
  const business = await openBusiness(world);
  const another = await openBusiness(world);
  const anothers = await start(world, another);
  const refusedIn = async (environment: 'sandbox' | 'live', work: (tx: Transaction) => Promise<unknown>) =>
    assert.rejects(inTransaction(pool, { partnerId: business.partnerId, environment }, work), { code: '42501' });
  try {
    await refusedIn('live', async (tx) =>
      tx.query(
        `insert into kelpie.partner_environments (partner_id, environment, created_at, rail, bank_customer_id, bank_wallet_id)
         values ($1, 'live', now(), 'provider_production', 'mine', 'mine')`,
        [business.partnerId],
      ),
    );
    for (const change of [`verification_status = 'approved'`, `status = 'active'`]) {
      await refusedIn('sandbox', async (tx) => tx.query(`update kelpie.partners set ${change}`));
    }
    await refusedIn('sandbox', async (tx) =>
      tx.query(
        `insert into kelpie.verifications (id, partner_id, state, customer_id, started_at, changed_at, asked_at)
         values ('mine', $1, 'approved', 'mine', now(), now(), now())`,
        [business.partnerId],
      ),
    );
    await refusedIn('sandbox', async (tx) =>
      tx.query(
        `select kelpie.apply_verification($1, now(), now(), now(), 'approved', false, 'approved', null, null, 'c', 'w')`,
        [anothers],
      ),
    );
    const taken = inTransaction(pool, { partnerId: business.partnerId, environment: 'sandbox' }, async (tx) =>
      tx.query<{ begun: string }>('select kelpie.begin_verification($1, now()) as begun', [anothers]),
    );
    assert.equal((await taken).rows[0]?.begun, 'anothers');
  } finally {
    await pool.end();
  }
  assert.deepEqual(await liveOf(database, business.partnerId), []);
});

async function hasNoJobs(): Promise<boolean> {
  return asAdmin(database.superuserUrl, async (client) => {
    const { rows } = await client.query(
      `select from pgboss.job where name = 'refresh-verifications' and state in ('created', 'active', 'retry') limit 1`,
    );
    return rows.length === 0;
  });
}

/** Until no worker has anything to look at. */
async function untilNoJobs(): Promise<void> {
  await eventually('no job is left', hasNoJobs, 60_000);
}
