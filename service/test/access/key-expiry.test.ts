import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { notifyExpiry } from '../../src/access/keys/notify-expiry.ts';
import { openPool } from '../../src/platform/database/pool.ts';
import { createSingleCalls } from '../../src/platform/database/single-call.ts';
import { noFailpoint } from '../../src/platform/failpoint.ts';
import { createLogger } from '../../src/platform/logging.ts';
import { createTestDatabase } from '../harness/database.ts';
import { addKey, createSimulatedPartner, type TestPartner } from '../harness/partners.ts';
import { signIn } from '../harness/people.ts';

const database = await createTestDatabase();
const logger = createLogger('test', 'silent');
const pool = openPool({ url: database.serviceUrl, connections: 2, applicationName: 'test', logger });
after(async () => pool.end());

/** What is posted, in place of the outbox: to whom, and about which key. */
const posted: { to: string; text: string }[] = [];
let shiftMs = 0;
const deps = {
  pool,
  calls: createSingleCalls(pool, noFailpoint),
  clock: { now: () => new Date(Date.now() + shiftMs) },
  outbox: {
    async post(_tx: unknown, { to, message }: { to: string; message: { lead: string; blocks: readonly unknown[] } }) {
      posted.push({ to, text: JSON.stringify(message) });
      return '';
    },
  },
  dashboardUrl: null,
};

async function keyThatExpires(partner: TestPartner, { createdDaysAgo, inDays }: Record<string, number>) {
  const { key, keyId } = await addKey(database, partner);
  await asAdmin(database.superuserUrl, async (client) =>
    client.query(
      `update kelpie.api_keys set created_at = now() - make_interval(days => $2),
         expires_at = now() + make_interval(days => $3) where id = $1`,
      [keyId, createdDaysAgo, inDays],
    ),
  );
  return { keyId, prefix: key.slice(0, 19) };
}

test('every admin is emailed once about a key that expires within a week, and no viewer is', async () => {
  const partner = await createSimulatedPartner(database);
  const [ada, bea] = [await signIn(database, partner, { url: '' }), await signIn(database, partner, { url: '' })];
  await signIn(database, partner, { url: '', role: 'viewer' });
  const due = await keyThatExpires(partner, { createdDaysAgo: 30, inDays: 5 });
  await keyThatExpires(partner, { createdDaysAgo: 30, inDays: 9 });
  // Its creation said so: it never had a week.
  await keyThatExpires(partner, { createdDaysAgo: 1, inDays: 2 });
  const revoked = await keyThatExpires(partner, { createdDaysAgo: 30, inDays: 5 });
  await asAdmin(database.superuserUrl, async (client) =>
    client.query('update kelpie.api_keys set revoked_at = now() where id = $1', [revoked.keyId]),
  );
  const { signal } = new AbortController();
  const counts = await Promise.all([notifyExpiry(deps, signal), notifyExpiry(deps, signal)]);
  assert.equal(counts[0] + counts[1], 1);
  assert.deepEqual(posted.map(({ to }) => to).toSorted(), [ada.email, bea.email].toSorted());
  for (const { text } of posted) assert(text.includes(due.prefix), text);
  shiftMs = 3 * 24 * 3_600_000;
  assert.equal(await notifyExpiry(deps, signal), 1);
  assert.equal(await notifyExpiry(deps, signal), 0);
});

test('a process of the version before finds only keys that it can judge', async () => {
  const partner = await createSimulatedPartner(database);
  const found = async (change: string): Promise<number> =>
    asAdmin(database.superuserUrl, async (client) => {
      const { keyId } = await addKey(database, partner);
      await client.query(`update kelpie.api_keys set ${change} where id = $1`, [keyId]);
      const { rows } = await client.query(
        'select f.* from kelpie.api_keys k, kelpie.find_api_key(k.secret_hmac, now()) f where k.id = $1',
        [keyId],
      );
      return rows.length;
    });
  assert.equal(await found(`label = 'plain'`), 1);
  for (const change of [`scope = 'read'`, `networks = '{203.0.113.0/24}'`, 'revoked_at = now()'])
    assert.equal(await found(change), 0, change);
});
