import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { startSandboxBank } from '@kelpie/sandbox-bank/test/harness.ts';
import { delaysOf, noteClaims, plantDuePayouts } from '../harness/due-payouts.ts';
import { createPartners } from '../harness/partners.ts';
import { startWorld } from '../harness/world.ts';

// A real worker, two real banks, and 10,000 payouts that are all due. The database notes when each one is claimed.

const sandboxBank = await startSandboxBank();
const world = await startWorld({
  environment: 'live',
  withoutWorker: true,
  env: { KELPIE_SANDBOX_BANK_URL: sandboxBank.wireUrl, KELPIE_SANDBOX_BANK_API_KEY: sandboxBank.apiKey },
});
const { database } = world;
await noteClaims(database);
const [busyAtSandbox] = await createPartners(database, 1);
const [busy, quiet, ...others] = await createPartners(database, 52, 'live');
assert(busyAtSandbox !== undefined && busy !== undefined && quiet !== undefined);

const anHourAgo = new Date(Date.now() - 3_600_000);
/** Ten a second. The first is due once all are written, however long that takes. */
const spread = { count: 100, apartMs: 100 };
const soon = (): Date => new Date(Date.now() + 10_000);

async function untilClaimed(partner: { partnerId: string }): Promise<number[]> {
  return eventually(
    'all were claimed',
    async () => {
      const delays = await delaysOf(database, partner);
      return delays.length === spread.count && delays;
    },
    120_000,
  );
}

/** In two transactions, with no lock on a table: the worker goes on with both. */
async function forget(): Promise<void> {
  await asAdmin(database.superuserUrl, async (client) => {
    await client.query('delete from kelpie.payout_leases');
    await client.query('delete from public.claims');
  });
}

test('faults 73: 10,000 due payouts at a sandbox bank that takes 4 s delay live by less than 2 s', async () => {
  await sandboxBank.control('/faults', { on: 'transfer.read', kind: 'delay_reply', delay_ms: 4_000 });
  await plantDuePayouts(database, busyAtSandbox, { count: 10_000, from: anHourAgo });
  await world.restartWorker();
  await plantDuePayouts(database, quiet, { ...spread, from: soon() });
  const delays = await untilClaimed(quiet);
  const p99 = delays[98] ?? Infinity;
  assert(p99 <= 2_000, `p99 of live is ${p99} ms`);
  const inSandbox = await delaysOf(database, busyAtSandbox);
  assert(inSandbox.length >= 24, 'sandbox goes on, too');
  await forget();
});

test("faults 73: one partner's 10,000 due payouts delay another's by less than 1 s", async () => {
  // Others with open payouts that are not due: each is visited in every turn.
  for (const other of others)
    await plantDuePayouts(database, other, { count: 10, from: new Date(Date.now() + 3_600_000) });
  await plantDuePayouts(database, busy, { count: 10_000, from: anHourAgo });
  await eventually('the worker is at it', async () => (await delaysOf(database, busy)).length > 64);
  await plantDuePayouts(database, quiet, { ...spread, from: soon() });
  const delays = await untilClaimed(quiet);
  const longest = delays.at(-1) ?? Infinity;
  assert(longest <= 1_000, `the longest delay is ${longest} ms`);
});
