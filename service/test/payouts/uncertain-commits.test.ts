import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { cancelPayout, createPayout, payoutBody } from '../harness/client.ts';
import { createTestClock, passTime } from '../harness/clock.ts';
import { assertAllHolds } from '../harness/invariants.ts';
import { untilQuiet } from '../harness/waits.ts';
import { startWorld } from '../harness/world.ts';

// Without a worker, whose changes would meet the warning first.
const clock = createTestClock();
const env = { KELPIE_TEST_CLOCK_FILE: clock.file };
const world = await startWorld({ settleAfterMs: 3_600_000, env, withoutWorker: true, withoutWebhooks: true });
const { database } = world;
const client = { url: world.api.url, key: world.partner.key };

/** The server warns at the next change of a payout, as it does where the wait for a standby is cancelled, and commits it. */
async function warnOnce(when: 'insert' | 'update'): Promise<void> {
  await asAdmin(database.superuserUrl, async (admin) => {
    await admin.query('create sequence if not exists public.warnings');
    await admin.query('grant usage on sequence public.warnings to public');
    await admin.query(`create or replace function public.warn_once() returns trigger language plpgsql as $$
      begin
        if nextval('public.warnings') = 1 then raise warning 'canceling wait for synchronous replication'; end if;
        return null;
      end $$`);
    await admin.query(`drop trigger if exists warn_once on kelpie.payouts`);
    await admin.query('alter sequence public.warnings restart');
    await admin.query(
      `create trigger warn_once after ${when} on kelpie.payouts for each row execute function public.warn_once()`,
    );
  });
}

async function warnings(): Promise<boolean> {
  return asAdmin(database.superuserUrl, async (admin) => {
    const { rows } = await admin.query<{ is_called: boolean }>('select is_called from public.warnings');
    return rows[0]?.is_called === true;
  });
}

test('faults 71: an uncertain first commit is looked up, and the payout is sent once', async () => {
  await warnOnce('insert');
  const key = randomUUID();
  const made = await createPayout(client, payoutBody({ amount_gbp: '3.00' }), key);
  assert(await warnings());
  assert.deepEqual([made.status, made.headers.get('idempotent-replayed')], [201, null], made.text);
  const again = await createPayout(client, payoutBody({ amount_gbp: '3.00' }), key);
  assert.deepEqual([again.status, again.id], [200, made.id]);
});

test('faults 71: an uncertain second commit is repeated, and the caller learns what became of the payout', async () => {
  await warnOnce('update');
  const made = await createPayout(client, payoutBody({ amount_gbp: '4.00' }));
  assert(await warnings());
  assert.equal(made.status, 201, made.text);
  assert.match(made.text, /"status":"processing"/);
});

async function paymentOf(payoutId: string): Promise<string> {
  return asAdmin(database.superuserUrl, async (admin) => {
    const sql = 'select bank_payment_id as id from kelpie.payouts where id = $1';
    const { rows } = await admin.query<{ id: string }>(sql, [payoutId]);
    return rows[0]?.id ?? '';
  });
}

test('faults 71: an uncertain cancellation is looked up, and is answered as cancelled', async () => {
  const made = await createPayout(client, payoutBody({ amount_gbp: '5.00' }));
  await world.bank.control(`/transfers/${await paymentOf(made.id)}/hold`, { state: 'awaiting_funds' });
  await warnOnce('update');
  const cancelled = await cancelPayout(client, made.id);
  assert(await warnings());
  assert.equal(cancelled.status, 200, cancelled.text);
  assert.match(cancelled.text, /"status":"cancelled"/);
});

test('nothing was paid twice or lost', async () => {
  await asAdmin(database.superuserUrl, async (admin) => admin.query('drop trigger warn_once on kelpie.payouts'));
  await passTime({ clock, bank: world.bank }, 3_700_000);
  await eventually('the bank is done', async () =>
    asAdmin(world.bank.databaseUrl, async (admin) => {
      const { rows } = await admin.query('select from bank.transfers where next_at is not null limit 1');
      return rows.length === 0;
    }),
  );
  // The worker polls at once. If the bank were half done, the worker would poll again only after minutes.
  await world.restartWorker();
  await untilQuiet(database);
  await assertAllHolds({ ...world, acknowledged: [] });
});
