import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { createPayout, getPayout, payoutBody, type ApiAnswer } from '../harness/client.ts';
import { createTestClock, passTime } from '../harness/clock.ts';
import { assertAllHolds } from '../harness/invariants.ts';
import { startWorld } from '../harness/world.ts';

// A bank whose answers are about something else than what it was asked: another order, another amount, another account.

const clock = createTestClock();
const world = await startWorld({ settleAfterMs: 24 * 3_600_000, env: { KELPIE_TEST_CLOCK_FILE: clock.file } });
const client = { url: world.api.url, key: world.partner.key };
const minute = 60_000;

async function sql<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
  return asAdmin(world.database.superuserUrl, async (admin) => (await admin.query<Row>(text, values)).rows);
}

let movedMs = 0;

async function moveTime(byMs: number): Promise<void> {
  movedMs += byMs;
  await passTime({ clock, bank: world.bank }, byMs);
}

async function fault(kind: string, on: string, times?: number): Promise<void> {
  await world.bank.control('/faults', { on, kind, ...(times === undefined ? {} : { times }) });
}

async function clearFaults(): Promise<void> {
  await world.bank.control('DELETE /faults');
}

interface Kept {
  state: string;
  order: string;
  payment: string | null;
  attempts: number;
  leases: number;
  booked: string;
}

async function payoutOf({ id }: ApiAnswer): Promise<Kept> {
  const [row] = await sql<Kept>(
    `select p.state::text, p.order_id as order, p.bank_payment_id as payment, p.attempts,
       (select count(*)::int from kelpie.payout_leases l where l.payout_id = p.id) as leases,
       (select coalesce(sum(amount), 0) from kelpie.ledger_entries l where l.cause_id = p.id and l.account = 'bank_wallet') as booked
     from kelpie.payouts p where p.id = $1`,
    [id],
  );
  assert(row !== undefined);
  return row;
}

async function casesOf({ id }: ApiAnswer): Promise<{ kind: string; detail: string }[]> {
  return sql('select kind, detail from kelpie.cases where payout_id = $1 order by kind', [id]);
}

/** What the bank truly did for it, by its own record. */
async function paymentsOf(made: ApiAnswer): Promise<string[]> {
  const { order } = await payoutOf(made);
  const { payments } = await world.bank.record();
  return payments.filter((one) => one.client_reference_id === order).map((one) => one.transfer_id);
}

async function settle(made: ApiAnswer): Promise<void> {
  const [payment = ''] = await paymentsOf(made);
  await world.bank.control(`/transfers/${payment}/settle`);
  await eventually('it is completed', async () => (await getPayout(client, made.id)).payout === 'completed');
}

for (const [kind, field] of [
  ['other_reference', 'reference'],
  ['other_amount', 'amount'],
  ['other_account', 'recipient account'],
] as const) {
  test(`faults 38: an answer with another ${field} is not believed: it is pending, has a case, and is not sent again`, async () => {
    await fault(kind, 'transfer.create', 1);
    const made = await createPayout(client, payoutBody());
    assert.deepEqual([made.status, made.payout], [201, 'pending'], made.text);
    const [opened] = await casesOf(made);
    assert.equal(opened?.kind, 'answer_differs');
    assert.match(opened?.detail ?? '', new RegExp(`^what the bank says of payment [0-9a-f-]+ has another ${field}$`));
    // The bank's own list shows what it truly has, and that is taken over.
    await eventually('it is found', async () => (await payoutOf(made)).state === 'processing');
    const { attempts, payment } = await payoutOf(made);
    assert.deepEqual([attempts, await paymentsOf(made)], [1, [payment]]);
    await settle(made);
    await assertAllHolds({ ...world, acknowledged: [made.id] });
  });
}

test('faults 38: while the list of the bank has another amount too, nothing is booked, and a person has to look', async (t) => {
  t.after(clearFaults);
  await fault('other_amount', 'transfer.read');
  await fault('other_amount', 'transfer.create', 1);
  const made = await createPayout(client, payoutBody());
  assert.equal(made.payout, 'pending', made.text);
  await eventually('no further action is scheduled', async () => (await payoutOf(made)).leases === 0);
  const { state, booked, attempts, payment } = await payoutOf(made);
  assert.deepEqual([state, booked, attempts, payment], ['pending', '0', 1, null]);
  assert.deepEqual(
    (await casesOf(made)).map(({ kind }) => kind),
    ['answer_differs'],
  );
  assert.equal((await paymentsOf(made)).length, 1);
  await clearFaults();
  await settle(made);
  await assertAllHolds({ ...world, acknowledged: [made.id] });
});

for (const [kind, field] of [
  ['other_reference', 'reference'],
  ['other_amount', 'amount'],
] as const) {
  test(`faults 38: a payment that is read with another ${field} opens one case, and changes nothing`, async (t) => {
    const made = await createPayout(client, payoutBody());
    assert.equal(made.payout, 'processing', made.text);
    const before = await payoutOf(made);
    t.after(clearFaults);
    await fault(kind, 'transfer.read');
    await world.bank.control(`/transfers/${before.payment ?? ''}/settle`);
    await eventually('a case is open', async () => (await casesOf(made)).length > 0);
    await moveTime(5 * minute);
    await eventually('it was read again', async () => {
      // A worker that is still reading has a lease, which is due in the future as well.
      const released = await sql(
        `select from kelpie.payout_leases where payout_id = $1 and leased_until = '-infinity' and due_at > $2`,
        [made.id, new Date(Date.now() + movedMs)],
      );
      return released.length > 0;
    });
    const after = await payoutOf(made);
    assert.deepEqual([after.state, after.booked], [before.state, before.booked]);
    assert.deepEqual(
      (await casesOf(made)).map(({ kind: opened }) => opened),
      ['answer_differs'],
    );
    const rows = await sql(`select from kelpie.payout_history where payout_id = $1 and what = 'needs_attention'`, [
      made.id,
    ]);
    assert.equal(rows.length, 1);
    await clearFaults();
    await moveTime(5 * minute);
    await eventually('it is completed', async () => (await getPayout(client, made.id)).payout === 'completed');
    await assertAllHolds({ ...world, acknowledged: [made.id] });
  });
}
