import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { createTestDatabase } from '../../../test/harness/database.ts';
import { createSimulatedPartner } from '../../../test/harness/partners.ts';
import { signIn } from '../../../test/harness/people.ts';
import { newAddress, plantCodes } from '../../../test/harness/sign-in.ts';
import { noFailpoint } from '../../platform/failpoint.ts';
import { openPool } from '../../platform/database/pool.ts';
import { createSingleCalls } from '../../platform/database/single-call.ts';
import { createLogger } from '../../platform/logging.ts';
import { sweepSignIns } from './sweep-sign-ins.ts';

const dayMs = 24 * 3_600_000;
const database = await createTestDatabase();
const logger = createLogger('test', 'silent');
const pool = openPool({ url: database.serviceUrl, connections: 2, applicationName: 'test', logger });
after(async () => pool.end());
const calls = createSingleCalls(pool, noFailpoint);

async function sweepAfter(days: number): Promise<number> {
  return sweepSignIns(calls, { now: () => new Date(Date.now() + days * dayMs + 60_000) });
}

test('codes are swept after a day, guesses after a week, sessions after a month, browsers after 400 days, and none before', async () => {
  await signIn(database, await createSimulatedPartner(database), { url: '' });
  // More than are swept at once.
  await plantCodes(
    database,
    Array.from({ length: 5_010 }, () => ({ email: newAddress(), code: '123456' })),
  );
  await asAdmin(database.superuserUrl, async (client) =>
    client.query(
      `insert into kelpie.wrong_guesses values (sha256('one'), (now() at time zone 'utc')::date, 3);
       insert into kelpie.browsers (id, email_hmac, token_hmac, created_at, last_used_at)
       values (gen_random_uuid(), sha256('one'), sha256('two'), now(), now())`,
    ),
  );
  assert.equal(await sweepAfter(0), 0);
  assert.equal(await sweepAfter(1), 5_010);
  assert.equal(await sweepAfter(6), 0);
  assert.equal(await sweepAfter(9), 1);
  assert.equal(await sweepAfter(29), 0);
  assert.equal(await sweepAfter(30), 1);
  assert.equal(await sweepAfter(399), 0);
  assert.equal(await sweepAfter(400), 1);
});
