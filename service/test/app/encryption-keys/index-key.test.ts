import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { listAt, textAt, valueAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { callWire } from '@kelpie/sandbox-bank/test/customer.ts';
import { spanFrom } from '../../../src/ledger/index.ts';
import { digestOrders } from '../../../src/payouts/index.ts';
import { openSealedRecipient, type SealedPayout } from '../../../src/payouts/records/encrypted-recipient.ts';
import { openPool } from '../../../src/platform/database/pool.ts';
import { inReadOnlyTransaction } from '../../../src/platform/database/transaction.ts';
import { createEncryptor } from '../../../src/platform/encryption.ts';
import { createLogger } from '../../../src/platform/logging.ts';
import { RowTampered } from '../../../src/platform/row-mac.ts';
import { bankOf, call, createPayout, payoutBody, type ApiAnswer } from '../../harness/client.ts';
import { assertAllHolds } from '../../harness/invariants.ts';
import { testSecrets } from '../../harness/secrets.ts';
import { untilQuiet } from '../../harness/waits.ts';
import { startWorld } from '../../harness/world.ts';
import { kelpieAdmin } from '../commands/kelpie-admin.ts';

// The index key is changed: requests are recognised and known accounts found before, during and after it.

const [oldKey, newKey] = [`1:${testSecrets.KELPIE_INDEX_KEY}`, `2:${'f7'.repeat(32)}`];
const [withOld, withBoth, withNew] = [oldKey, `${newKey},${oldKey}`, newKey].map((text) => ({
  KELPIE_INDEX_KEY: text,
}));
assert(withOld !== undefined && withBoth !== undefined && withNew !== undefined);
const world = await startWorld({ env: withOld });
const why = ['--reason', 'a planned change', '--json'];
const accounts = ['44440001', '44440002', '44440003'];
const made: { key: string; account: string; answer: ApiAnswer }[] = [];

const client = () => ({ url: world.api.url, key: world.partner.key });

async function pay(account: string, key: string = randomUUID(), change: object = {}): Promise<ApiAnswer> {
  return createPayout(client(), payoutBody(change, bankOf(account)), key);
}

async function payEach(): Promise<void> {
  for (const account of accounts) {
    const key = randomUUID();
    const answer = await pay(account, key);
    assert.equal(answer.status, 201, answer.text);
    made.push({ key, account, answer });
  }
  await untilQuiet(world.database);
}

/** Each request is recognised, and with another body refused. */
async function repeatEach(): Promise<void> {
  for (const { key, account, answer } of made) {
    const again = await pay(account, key);
    assert.deepEqual([again.status, again.id], [200, answer.id], again.text);
    const other = await pay(account, key, { reference: 'Another' });
    assert.deepEqual([other.status, other.code], [422, 'idempotency_key_reused'], other.text);
  }
}

async function restart(env: Readonly<Record<string, string>>): Promise<void> {
  await Promise.all([world.restartApi(env), world.restartWorker(env)]);
}

/** How many recipients the bank was asked to register. */
async function countAtBank(): Promise<number> {
  const recipients = new Set<string>();
  for (const { transfer_id: id } of (await world.bank.record()).payments) {
    const { json } = await callWire(world.bank, `/transfers/${id}`);
    recipients.add(textAt(json, 'destination.external_account_id'));
  }
  return recipients.size;
}

async function sql<Row extends object>(text: string): Promise<Row[]> {
  return asAdmin(world.database.superuserUrl, async (admin) => (await admin.query<Row>(text)).rows);
}

async function assertKnown(): Promise<void> {
  assert.equal(await countAtBank(), accounts.length);
  const [known] = await sql<{ rows: number }>('select count(*)::int as rows from kelpie.known_recipients');
  assert.equal(known?.rows, accounts.length);
  const { json } = await call(client(), '/v1/recipients');
  assert.equal(listAt(json, 'data').length, accounts.length);
}

const reader = openPool({
  url: world.database.readerUrl,
  connections: 1,
  applicationName: 'test',
  logger: createLogger('test', 'silent'),
  pace: 'unhurried',
});
after(async () => reader.end());

/** What a closed day says of its payouts. */
async function digestEveryDay() {
  return inReadOnlyTransaction(reader, 'shared', async (tx) => digestOrders(tx, spanFrom('2026-01-01')));
}

/** Payouts that would be held as tampered, were they sent again. */
async function countTampered(): Promise<number> {
  const payouts = await sql<SealedPayout & { id: string; recipientEncrypted: Buffer; amount: string }>(
    `select id, partner_id as "partnerId", environment, order_id as "orderId", amount_pence as amount,
       account_index as "accountIndex", recipient_encrypted as "recipientEncrypted" from kelpie.payouts`,
  );
  assert(payouts.length >= made.length);
  const encryptor = createEncryptor(new Map([[1, Buffer.from(testSecrets.KELPIE_DATA_KEYS.slice(2), 'hex')]]));
  return payouts.filter((payout) => {
    try {
      openSealedRecipient(encryptor, { ...payout, amount: BigInt(payout.amount) });
      return false;
    } catch (error) {
      if (error instanceof RowTampered) return true;
      throw error;
    }
  }).length;
}

test('with both keys, what was made under the old one is recognised, and its accounts are known', async () => {
  await payEach();
  await restart(withBoth);
  await repeatEach();
  await payEach();
  await assertKnown();
});

test('the change leaves no digest of the old key, and everything is recognised by the new one alone', async () => {
  const tried = await kelpieAdmin(world.database, ['encryption-keys', 'rotate', '--dry-run', ...why], withBoth);
  assert.equal(valueAt(tried.data(), 'digests.replaced'), made.length, tried.said);
  const days = await digestEveryDay();
  assert.equal(days.rows, made.length);
  const done = await kelpieAdmin(world.database, ['encryption-keys', 'rotate', ...why], withBoth);
  assert.equal(done.code, 0, done.said);
  assert.deepEqual(valueAt(done.data(), 'digests'), { replaced: made.length, held: 0, unknown: 0 });
  assert.deepEqual(await digestEveryDay(), days);
  assert.equal(await countTampered(), 0);
  await repeatEach();
  await payEach();
  await restart(withNew);
  await repeatEach();
  await payEach();
  await assertKnown();
  assert.doesNotMatch(world.processes.map((each) => each.output()).join(''), /recipient_unreadable/);
  const again = await kelpieAdmin(world.database, ['encryption-keys', 'rotate', ...why], withBoth);
  assert.deepEqual(valueAt(again.data(), 'digests'), { replaced: 0, held: 0, unknown: 0 }, again.said);
  await assertAllHolds({ ...world, acknowledged: made.map(({ answer }) => answer.id) });
});
