import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { createTestDatabase } from '../../test/harness/database.ts';
import { createPartners } from '../../test/harness/partners.ts';
import { testSecrets } from '../../test/harness/secrets.ts';
import { systemClock } from '../platform/clock.ts';
import { openPool } from '../platform/database/pool.ts';
import { createSingleCalls, type SingleCalls } from '../platform/database/single-call.ts';
import { inTransaction, type PartnerContext } from '../platform/database/transaction.ts';
import { noFailpoint } from '../platform/failpoint.ts';
import { createLogger } from '../platform/logging.ts';
import { createApiKey, createApiKeyAuthenticator, createPepper } from './index.ts';
import { newSecret, sameDigest } from './secrets.ts';
import { redigestSecrets, replaceSecret, type Redigest } from './store.ts';

const database = await createTestDatabase();
const logger = createLogger('test', 'silent');
const rowKeys = new Map([[1, Buffer.from(testSecrets.KELPIE_ROW_KEY, 'hex')]]);
const pool = openPool({ url: database.serviceUrl, connections: 2, applicationName: 'test', logger, rowKeys });
after(async () => pool.end());
const pepper = createPepper(new Map([[1, Buffer.alloc(32, 5)]]));
/** What was recognised by an earlier pepper. */
const redigested: Redigest[] = [];
const [partner] = await createPartners(database, 1);
assert(partner !== undefined);
const owner: PartnerContext = partner;
const anyAddress = '192.0.2.1';

/** The database, with a count of what it was asked. */
function counted(): { calls: SingleCalls; asked: () => number } {
  const calls = createSingleCalls(pool, noFailpoint);
  let asked = 0;
  return {
    calls: {
      ...calls,
      async call(call, values) {
        asked += 1;
        return calls.call(call, values);
      },
    },
    asked: () => asked,
  };
}

function authenticatorOver(calls: SingleCalls, secretPepper = pepper) {
  return createApiKeyAuthenticator({
    calls,
    clock: systemClock,
    pepper: secretPepper,
    uses: { record: () => undefined, redigest: (one) => void redigested.push(one) },
  });
}

async function createKey(label: string | null = null) {
  return inTransaction(pool, owner, async (tx) =>
    createApiKey(tx, { clock: systemClock, pepper }, { ...owner, label }),
  );
}

test('a secret has the form that the specification gives it, and its prefix is its start', () => {
  for (const environment of ['sandbox', 'live'] as const) {
    const { secret, prefix } = newSecret(environment);
    assert.match(secret, /^kp_(sandbox|live)_[a-f0-9]{48}$/);
    assert(secret.startsWith(`kp_${environment}_`) && secret.startsWith(prefix));
    assert.equal(prefix.length, `kp_${environment}_`.length + 8);
  }
});

test('no two secrets are the same', () => {
  assert.equal(new Set(Array.from({ length: 1_000 }, () => newSecret('live').secret)).size, 1_000);
});

test('a key is known by its secret: whose it is, and in which environment', async () => {
  const { id, prefix, secret } = await createKey('Shop');
  const apiKeyAuthenticator = authenticatorOver(counted().calls);
  assert.deepEqual(await apiKeyAuthenticator.identify(secret, anyAddress), { id, prefix, scope: 'pay', ...owner });
});

test('nothing of a secret is kept but its first digits and a digest that is worth nothing without the pepper', async () => {
  const { secret, prefix } = await createKey();
  const { rows } = await asAdmin(database.superuserUrl, async (client) =>
    client.query<{ row: string; secret_hmac: Buffer }>(
      `select to_jsonb(k)::text as row, k.secret_hmac from kelpie.api_keys k where k.key_prefix = $1`,
      [prefix],
    ),
  );
  const [kept] = rows;
  assert(kept !== undefined);
  const hidden = secret.slice(prefix.length);
  for (let start = 0; start + 8 <= hidden.length; start += 1)
    assert(!kept.row.includes(hidden.slice(start, start + 8)), 'a part of the secret is in the row');
  assert(kept.secret_hmac.equals(pepper.digest(secret)));
  const withoutPepper = authenticatorOver(counted().calls, createPepper(new Map([[1, Buffer.alloc(32, 6)]])));
  assert.equal(await withoutPepper.identify(secret, anyAddress), null);
});

test('a key under an earlier pepper works, gets a digest under the newest, and needs the earlier one no more', async () => {
  const { id, secret } = await createKey();
  const [newest, earlier] = [Buffer.alloc(32, 7), Buffer.alloc(32, 5)];
  const both = createPepper(
    new Map([
      [2, newest],
      [1, earlier],
    ]),
  );
  const { calls } = counted();
  assert.equal((await authenticatorOver(calls, both).identify(secret, anyAddress))?.id, id);
  const [one] = redigested.splice(0);
  assert(one !== undefined);
  assert(one.before.equals(pepper.digest(secret)) && one.after.equals(both.digest(secret)));
  await redigestSecrets(calls, [one], both.version);
  const newestAlone = createPepper(new Map([[2, newest]]));
  assert.equal((await authenticatorOver(calls, newestAlone).identify(secret, anyAddress))?.id, id);
  assert.equal(await authenticatorOver(calls).identify(secret, anyAddress), null);
  assert.deepEqual(redigested, []);
});

test('a rolled secret under an earlier pepper keeps its overlap', async () => {
  const { id, secret } = await createKey();
  const rolled = newSecret(owner.environment);
  const both = createPepper(
    new Map([
      [2, Buffer.alloc(32, 7)],
      [1, Buffer.alloc(32, 5)],
    ]),
  );
  const { calls } = counted();
  await inTransaction(pool, owner, async (tx) =>
    replaceSecret(tx, {
      id,
      prefix: rolled.prefix,
      secretHmac: both.digest(rolled.secret),
      pepperVersion: both.version,
      previousExpiresAt: new Date(Date.now() + 3_600_000),
    }),
  );
  const authenticator = authenticatorOver(calls, both);
  for (const [each, replaced] of [
    [rolled.secret, 0],
    [secret, 1],
  ] as const) {
    assert.equal((await authenticator.identify(each, anyAddress))?.id, id);
    assert.equal(redigested.length, replaced);
  }
  await redigestSecrets(calls, redigested.splice(0), both.version);
  const newestAlone = authenticatorOver(calls, createPepper(new Map([[2, Buffer.alloc(32, 7)]])));
  for (const each of [rolled.secret, secret]) assert.equal((await newestAlone.identify(each, anyAddress))?.id, id);
});

test('a revoked key is not found', async () => {
  const { id, secret } = await createKey();
  await asAdmin(database.superuserUrl, async (client) =>
    client.query('update kelpie.api_keys set revoked_at = now() where id = $1', [id]),
  );
  assert.equal(await authenticatorOver(counted().calls).identify(secret, anyAddress), null);
});

test('a text that is no secret is answered without asking the database', async () => {
  const { secret } = await createKey();
  const { calls, asked } = counted();
  const apiKeyAuthenticator = authenticatorOver(calls);
  for (const text of [
    '',
    'kp_sandbox_',
    secret.slice(0, -1),
    `${secret}0`,
    ` ${secret}`,
    `${secret}\n`,
    secret.toUpperCase(),
    secret.replace('sandbox', 'test'),
    secret.replace('kp_', 'sk_'),
    `kp_sandbox_${'g'.repeat(48)}`,
    'x'.repeat(100_000),
  ])
    assert.equal(await apiKeyAuthenticator.identify(text, anyAddress), null, text.slice(0, 80));
  assert.equal(asked(), 0);
});

test('the same secret a hundred times at once asks the database once, whether it is good or not', async () => {
  const { secret } = await createKey();
  for (const text of [secret, newSecret('sandbox').secret]) {
    const { calls, asked } = counted();
    const apiKeyAuthenticator = authenticatorOver(calls);
    await Promise.all(Array.from({ length: 100 }, async () => apiKeyAuthenticator.identify(text, anyAddress)));
    assert.equal(asked(), 1);
  }
});

test('the secret of one environment does not open the other', async () => {
  const { secret } = await createKey();
  const apiKeyAuthenticator = authenticatorOver(counted().calls);
  assert.equal(await apiKeyAuthenticator.identify(secret.replace('kp_sandbox_', 'kp_live_'), anyAddress), null);
});

test('digests are the same only where every byte is', () => {
  const digest = pepper.digest('a');
  assert(sameDigest(digest, Buffer.from(digest)));
  assert(!sameDigest(digest, digest.subarray(1)));
  assert(!sameDigest(digest, Buffer.alloc(0)));
  assert(!sameDigest(digest, pepper.digest('b')));
});
