import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { createCustomer } from '@kelpie/sandbox-bank/test/customer.ts';
import { createBridgeBank, createHttpAgent } from '../../src/banks/index.ts';
import { connectSandbox, moveToBank } from '../../src/partners/connect-sandbox.ts';
import { openSandbox } from '../../src/partners/open-sandbox.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { openPool } from '../../src/platform/database/pool.ts';
import { inTransaction, type PartnerContext } from '../../src/platform/database/transaction.ts';
import { newId } from '../../src/platform/ids.ts';
import { createLogger } from '../../src/platform/logging.ts';
import { bankOf, createPayout, payoutBody, type ApiAnswer, type Client } from '../harness/client.ts';
import { assertAllHolds } from '../harness/invariants.ts';
import { addKey } from '../harness/partners.ts';
import { untilQuiet } from '../harness/waits.ts';
import { startWorld } from '../harness/world.ts';
import { balanceOf, railsOfPayouts } from './sandboxes.ts';

// An api process remembers for some seconds on which rail a partner is: payouts that race the connection of a sandbox end on
// the old rail before it or on the new one after it, and never on the old one with the new wallet's money.

const world = await startWorld();
const { database, bank } = world;
const agent = createHttpAgent();
const logger = createLogger('test', 'silent');
const pool = openPool({ url: database.serviceUrl, connections: 4, applicationName: 'connecter', logger });
after(async () => {
  await pool.end();
  await agent.destroy();
});
const deps = {
  pool,
  clock: systemClock,
  bank: createBridgeBank(agent, { url: bank.wireUrl, apiKey: bank.apiKey }),
};

interface Waiting extends PartnerContext {
  client: Client;
}

/** A partner whose sandbox waits, and whom the api remembers on the simulated rail. No job is sent for it. */
async function openWaiting(url: string): Promise<Waiting> {
  const partnerId = newId(systemClock);
  const slug = `race-${randomBytes(6).toString('hex')}`;
  const partnerEnvironment = { partnerId, environment: 'sandbox' } as const;
  await inTransaction(pool, partnerEnvironment, async (tx) =>
    openSandbox(tx, systemClock, { id: partnerId, slug, name: 'Race' }),
  );
  const { key } = await addKey(database, partnerEnvironment);
  const client = { url, key };
  assertCreated(await createPayout(client));
  return { ...partnerEnvironment, client };
}

function assertCreated({ status, text }: ApiAnswer): void {
  assert.equal(status, 201, text);
}

const rounds = Number(process.env['RACE_ROUNDS'] ?? 30);

test(`payouts race ${rounds} connections: each is before on the old rail or after on the new one`, async () => {
  const seen = { simulated: 0, provider_sandbox: 0 };
  for (let round = 0; round < rounds; round += 1) {
    const partner = await openWaiting(world.api.url);
    const connecting = connectSandbox(deps, partner.partnerId);
    const racing: Promise<ApiAnswer>[] = [];
    // As long as it takes: some before, some at the same moment, and one that is surely after, by a memory that is wrong.
    const connected = new AbortController();
    void connecting.finally(() => connected.abort());
    while (!connected.signal.aborted) {
      racing.push(createPayout(partner.client), createPayout(partner.client, payoutBody({}, bankOf('12340000'))));
      await racing.at(-2);
    }
    // The worker's own round may have come first.
    assert.notEqual((await connecting).kind, 'failed');
    for (const answer of await Promise.all(racing)) assertCreated(answer);
    assertCreated(await createPayout(partner.client));
    const rails = await railsOfPayouts(database, partner.partnerId);
    assert.equal(rails.at(-1), 'provider_sandbox');
    for (const rail of rails.slice(1)) seen[rail === 'simulated' ? 'simulated' : 'provider_sandbox'] += 1;
  }
  assert(seen.simulated > 0 && seen.provider_sandbox > rounds, `nobody raced: ${JSON.stringify(seen)}`);
  await untilQuiet(database);
  await assertAllHolds(world);
});

test('a payout that comes while a sandbox is being connected waits, and goes to the bank', async () => {
  const partner = await openWaiting(world.api.url);
  const { id: customerId, walletId } = await createCustomer(bank);
  const creating = await inTransaction(pool, partner, async (tx) => {
    assert(await moveToBank(tx, systemClock, partner, { customerId, walletId }));
    const answer = createPayout(partner.client);
    await eventually('the payout waits for us', isSomebodyWaiting);
    return { answer };
  });
  assertCreated(await creating.answer);
  assert.deepEqual(await railsOfPayouts(database, partner.partnerId), ['simulated', 'provider_sandbox']);
  await untilQuiet(database);
  await assertAllHolds(world);
});

async function isSomebodyWaiting(): Promise<boolean> {
  return asAdmin(database.superuserUrl, async (client) => {
    const { rows } = await client.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rows.length > 0;
  });
}

test('a wallet that was spent to the last of it is closed with nothing, and opens with 10,000.00', async () => {
  const partner = await openWaiting(world.api.url);
  await asAdmin(database.superuserUrl, async (client) => {
    // As if it had been spent: no order of payouts ends at exactly zero.
    const transfer = newId(systemClock);
    await client.query(`select set_config('kelpie.batch', 'on', false)`);
    await client.query(
      `select from kelpie.wallets w cross join lateral kelpie.post_transfers(
         array[$2, $2]::uuid[], array[1, 2]::smallint[], array[w.partner_id, w.partner_id],
         array[w.environment, w.environment], array['wallet', 'bank_wallet']::kelpie.ledger_account[],
         array[w.balance_micro_usdc, -w.balance_micro_usdc], array['sandbox.closed', 'sandbox.closed'], array[$2, $2]::uuid[]
       ) where w.partner_id = $1`,
      [partner.partnerId, transfer],
    );
  });
  assert.equal(await balanceOf(database, partner.partnerId), 0n);
  assert.deepEqual(await connectSandbox(deps, partner.partnerId), { kind: 'connected' });
  assert.equal(await balanceOf(database, partner.partnerId), 10_000_000_000n);
  await untilQuiet(database);
  await assertAllHolds(world);
});
