import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { createPayout, payoutBody, type Client } from '../../harness/client.ts';
import { assertBooksHold } from '../../harness/invariants.ts';
import { createSimulatedPartner } from '../../harness/partners.ts';
import { startApi } from '../../harness/processes.ts';
import { createTestDatabase } from '../../harness/database.ts';

const database = await createTestDatabase();
const apis = await Promise.all([startApi({ database }), startApi({ database })]);
const partners = await Promise.all(Array.from({ length: 4 }, async () => createSimulatedPartner(database)));

const callers = 96;
const ordersACaller = 40;

async function countDeadlocks(): Promise<number> {
  return asAdmin(database.superuserUrl, async (admin) => {
    const { rows } = await admin.query<{ deadlocks: number }>(
      'select deadlocks::int from pg_stat_database where datname = current_database()',
    );
    return rows[0]?.deadlocks ?? -1;
  });
}

interface Reported {
  key: string;
  status: number;
  id: string;
}

/** One caller: its orders one after the other, to either api, by any partner; every third with a key of somebody else's. */
async function orderAll(caller: number, shared: readonly string[]): Promise<Reported[]> {
  const reported: Reported[] = [];
  for (let at = 0; at < ordersACaller; at += 1) {
    const partner = partners[(caller + at) % partners.length];
    const api = apis[(caller * 7 + at * 3) % apis.length];
    assert(partner !== undefined && api !== undefined);
    const client: Client = { url: api.url, key: partner.key };
    const key = at % 3 === 0 ? (shared[(at / 3) % shared.length] ?? '') : randomUUID();
    const { status, id, text } = await createPayout(client, payoutBody({ amount_gbp: '18.00' }), key);
    assert([200, 201, 402].includes(status), `${status} ${text}`);
    reported.push({ key: `${partner.partnerId} ${key}`, status, id });
  }
  return reported;
}

test('faults 32: two apis that batch on the same wallets and the same keys never deadlock, and make each payout once', async () => {
  const shared = Array.from({ length: 14 }, () => randomUUID());
  const reported = (await Promise.all(Array.from({ length: callers }, async (_, at) => orderAll(at, shared)))).flat();
  assert.equal(await countDeadlocks(), 0);
  await assertBooksHold(database);
  const made = reported.filter(({ status }) => status === 201);
  assert.equal(new Set(made.map(({ id }) => id)).size, made.length, 'a payout was created twice');
  for (const [key, answers] of Map.groupBy(reported, (one) => one.key)) {
    const ids = new Set(answers.filter(({ status }) => status < 300).map(({ id }) => id));
    assert(ids.size <= 1, `${key} stands for ${ids.size} payouts`);
  }
  const { rows } = await asAdmin(database.superuserUrl, async (admin) =>
    admin.query<{ payouts: number; most: string; cost: string }>(
      `select (select count(*)::int from kelpie.payouts) as payouts,
         (select max(balance_micro_usdc) from kelpie.wallets) as most,
         (select max(wallet_debit_micro_usdc) from kelpie.payouts) as cost`,
    ),
  );
  assert(rows[0] !== undefined);
  assert.equal(rows[0].payouts, made.length);
  // Every wallet was drained: what is left in each covers no payout.
  assert(reported.some(({ status }) => status === 402));
  assert(BigInt(rows[0].most) < BigInt(rows[0].cost));
});
