import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { createBridgeBank, createHttpAgent } from '../../src/banks/index.ts';
import { connectSandbox } from '../../src/partners/connect-sandbox.ts';
import { connectWaitingSandboxes } from '../../src/partners/connect-waiting-sandboxes.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { openPool } from '../../src/platform/database/pool.ts';
import { createLogger } from '../../src/platform/logging.ts';
import { createPayout } from '../harness/client.ts';
import { assertAllHolds } from '../harness/invariants.ts';
import { createSimulatedPartner } from '../harness/partners.ts';
import { untilQuiet } from '../harness/waits.ts';
import { startWorld } from '../harness/world.ts';
import { assertKilled, killAtFailpoint } from '../payouts/crashing.ts';
import { balanceOf, createByCommand, floatsOf, railOf, railsOfPayouts, untilConnected } from './sandboxes.ts';

const world = await startWorld();
const { database, bank } = world;
const agent = createHttpAgent();
const logger = createLogger('test', 'silent');
const pool = openPool({ url: database.serviceUrl, connections: 4, applicationName: 'test', logger });
after(async () => {
  await pool.end();
  await agent.destroy();
});
const deps = { pool, clock: systemClock, logger };

/** An adapter of its own for each use: a circuit that one of them opened is not another's business. */
function openBank(url = bank.wireUrl): ReturnType<typeof createBridgeBank> {
  return createBridgeBank(agent, { url, apiKey: bank.apiKey });
}

const float = 10_000_000_000n;
const untouched = [`sandbox.float ${float}`, `sandbox.closed ${-float}`, `sandbox.float ${float}`];

/** A killed worker's job is another's after some twelve seconds; what failed comes round every minute. */
const soonMs = 20_000;
const withTheNextRoundMs = 90_000;

/** How many customers and wallets the bank has by this partner's address. */
async function countAtBank(slug: string): Promise<{ customers: number; wallets: number }> {
  return asAdmin(bank.databaseUrl, async (client) => {
    const { rows } = await client.query<{ customers: number; wallets: number }>(
      `select count(distinct c.id)::int as customers, count(w.id)::int as wallets
       from bank.customers c left join bank.wallets w on w.customer_id = c.id where c.email = $1`,
      [`${slug}@sandbox.kelpie.example`],
    );
    assert(rows[0] !== undefined);
    return rows[0];
  });
}

async function assertConnectedOnce({ partnerId, slug }: { partnerId: string; slug: string }): Promise<void> {
  assert.deepEqual(await floatsOf(database, partnerId), untouched);
  assert.equal(await balanceOf(database, partnerId), float);
  assert.deepEqual(await countAtBank(slug), { customers: 1, wallets: 1 });
  await untilQuiet(database);
  await assertAllHolds(world);
}

test('a new partner is connected to the sandbox bank within seconds, and its payouts go there', async () => {
  const made = await createByCommand(database);
  await untilConnected(database, made.partnerId, soonMs);
  await assertConnectedOnce(made);
  const { status } = await createPayout({ url: world.api.url, key: made.key });
  assert.equal(status, 201);
  assert.deepEqual(await railsOfPayouts(database, made.partnerId), ['provider_sandbox']);
  await untilQuiet(database);
  await assertAllHolds(world);
});

test('payouts that were made on the simulated rail finish there, and the new wallet holds 10,000.00 all the same', async () => {
  await world.worker?.stop();
  const made = await createByCommand(database);
  const client = { url: world.api.url, key: made.key };
  for (let times = 0; times < 3; times += 1) assert.equal((await createPayout(client)).status, 201);
  const connected = await connectSandbox({ ...deps, bank: openBank() }, made.partnerId);
  assert.deepEqual(connected, { kind: 'connected' });
  assert.equal(await balanceOf(database, made.partnerId), float);
  await world.restartWorker();
  await untilQuiet(database);
  assert.equal((await createPayout(client)).status, 201);
  const simulated = ['simulated', 'simulated', 'simulated'];
  assert.deepEqual(await railsOfPayouts(database, made.partnerId), [...simulated, 'provider_sandbox']);
  await untilQuiet(database);
  await assertAllHolds(world);
});

test('a partner can pay while the bank is down, and is connected once it is back', async () => {
  await bank.child.stop();
  const made = await createByCommand(database);
  await world.worker?.waitForEvent('sandbox.not_connected');
  assert.equal(await railOf(database, made.partnerId), 'simulated');
  assert.equal((await createPayout({ url: world.api.url, key: made.key })).status, 201);
  await bank.restart();
  await untilConnected(database, made.partnerId, withTheNextRoundMs);
  assert.equal(await balanceOf(database, made.partnerId), float);
  await untilQuiet(database);
  await assertAllHolds(world);
});

for (const point of ['bank.open_customer.before', 'bank.open_customer.after']) {
  test(`a worker that is killed at ${point} leaves a sandbox that another connects, once`, async () => {
    const killed = await world.restartWorker(killAtFailpoint(point, 1));
    const made = await createByCommand(database);
    await assertKilled(killed);
    assert.equal(await railOf(database, made.partnerId), 'simulated');
    await world.restartWorker();
    await untilConnected(database, made.partnerId, withTheNextRoundMs);
    await assertConnectedOnce(made);
  });
}

test('a bank that opens the customer and fails the wallet is asked again, and has one customer', async () => {
  await world.worker?.stop();
  const made = await createByCommand(database);
  const whole = openBank();
  const broken: typeof whole = {
    ...whole,
    async openCustomer(order) {
      // No key at all, which the bank refuses.
      const idempotencyKeys = { ...order.idempotencyKeys, wallet: ' ' };
      return openBank().openCustomer({ ...order, idempotencyKeys });
    },
  };
  const first = await connectSandbox({ ...deps, bank: broken }, made.partnerId);
  assert.equal(first.kind, 'failed', JSON.stringify(first));
  assert.deepEqual(await countAtBank(made.slug), { customers: 1, wallets: 0 });
  assert.deepEqual(await connectSandbox({ ...deps, bank: whole }, made.partnerId), { kind: 'connected' });
  await assertConnectedOnce(made);
});

test('ten who connect the same sandbox at once connect it once', async () => {
  const made = await createByCommand(database);
  const bankDeps = { ...deps, bank: openBank() };
  const outcomes = await Promise.all(Array.from({ length: 10 }, async () => connectSandbox(bankDeps, made.partnerId)));
  assert.equal(outcomes.filter(({ kind }) => kind === 'connected').length, 1);
  assert.equal(outcomes.filter(({ kind }) => kind === 'not_waiting').length, 9);
  assert.deepEqual(await connectSandbox(bankDeps, made.partnerId), { kind: 'not_waiting' });
  await assertConnectedOnce(made);
});

test('one sandbox that can not be connected does not keep the next from it', async () => {
  const [bad, good] = [await createByCommand(database), await createByCommand(database)];
  const whole = openBank();
  const picky: typeof whole = {
    ...whole,
    openCustomer: async (order) =>
      order.email.startsWith(bad.slug) ? { kind: 'failed', text: 'not this one' } : whole.openCustomer(order),
  };
  const { signal } = new AbortController();
  await assert.rejects(connectWaitingSandboxes({ ...deps, bank: picky }, signal), /1 sandboxes/);
  assert.deepEqual(
    [await railOf(database, bad.partnerId), await railOf(database, good.partnerId)],
    ['simulated', 'provider_sandbox'],
  );
  await connectWaitingSandboxes({ ...deps, bank: whole }, signal);
  await assertConnectedOnce(bad);
});

test('an environment that never asked for a bank stays on the simulated rail', async () => {
  const { partnerId } = await createSimulatedPartner(database);
  await connectWaitingSandboxes({ ...deps, bank: openBank() }, new AbortController().signal);
  assert.equal(await railOf(database, partnerId), 'simulated');
});

test('the job that connects sandboxes comes round every minute by itself, and its rows hold no names', async () => {
  await world.restartWorker();
  await eventually('no job waits', async () =>
    asAdmin(database.superuserUrl, async (client) => {
      const { rows } = await client.query(
        `select from pgboss.job where name = 'connect-sandboxes' and state in ('created', 'active', 'retry')`,
      );
      return rows.length === 0;
    }),
  );
  await asAdmin(database.superuserUrl, async (client) => {
    const schedule = await client.query('select cron from pgboss.schedule where name = $1', ['connect-sandboxes']);
    assert.deepEqual(schedule.rows, [{ cron: '* * * * *' }]);
    const jobs = await client.query(`select distinct data::text from pgboss.job where name = 'connect-sandboxes'`);
    assert.deepEqual(jobs.rows, [{ data: '{}' }]);
  });
});
