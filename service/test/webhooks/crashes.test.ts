import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { createPayout, payoutBody, type Client } from '../harness/client.ts';
import { createTestDatabase } from '../harness/database.ts';
import { assertBooksHold } from '../harness/invariants.ts';
import { createSimulatedPartner } from '../harness/partners.ts';
import { startApi, startWorker } from '../harness/processes.ts';
import { assertKilled } from '../payouts/crashing.ts';
import { register } from './endpoint.ts';
import { startReceiver } from './receiver.ts';

const database = await createTestDatabase();
const { url } = await startApi({ database });
const { key } = await createSimulatedPartner(database);
const client: Client = { url, key };
const payoutsAKill = 5;

/** What a killed worker has leased is due again at once, instead of after half a minute. */
async function endLeases(): Promise<void> {
  await asAdmin(database.superuserUrl, async (admin) => {
    await admin.query('update kelpie.webhook_deliveries set leased_until = now() where leased_until is not null');
    await admin.query(`update kelpie.webhook_endpoints set due_at = now()`);
  });
}

test('faults 84: wherever a worker that delivers is killed, every event arrives, each payout in order', async () => {
  const receiver = await startReceiver();
  await register(client, receiver);
  let payouts = 0;
  for (const point of [
    'database.claim_deliveries.before',
    'database.claim_deliveries.after',
    'database.record_attempts.before',
    'database.record_attempts.after',
  ]) {
    const made = await Promise.all(
      Array.from({ length: payoutsAKill }, async () =>
        createPayout(client, payoutBody({ amount_gbp: '1.00' }), randomUUID()),
      ),
    );
    for (const { status, text } of made) assert.equal(status, 201, text);
    payouts += payoutsAKill;
    await assertKilled(await startWorker({ database, env: { KELPIE_TEST_FAILPOINT: `${point}*1` } }));
    await endLeases();
    const next = await startWorker({ database });
    await eventually(
      `every event has arrived after a kill at ${point}`,
      async () => new Set(receiver.received.map(({ id }) => id)).size === 2 * payouts,
      30_000,
    );
    next.kill('SIGTERM');
    await next.exited;
  }
  assert.equal(receiver.forged, 0);
  const firsts = receiver.received.filter(({ id }, at) => receiver.received.findIndex((one) => one.id === id) === at);
  for (const [, ofOne] of Map.groupBy(firsts, ({ body }) => body.data.id)) {
    const versions = ofOne.map(({ body }) => body.version);
    assert.deepEqual(
      versions,
      versions.toSorted((a, b) => a - b),
    );
  }
  await assertBooksHold(database);
});
