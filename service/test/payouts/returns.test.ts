import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { textAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { call, createPayout, getPayout, payoutBody, type ApiAnswer } from '../harness/client.ts';
import { asSecondPerson, kelpieAdmin } from '../app/commands/kelpie-admin.ts';
import { assertAllHolds } from '../harness/invariants.ts';
import { startWorld } from '../harness/world.ts';

// What comes back of a payment, and what the partner gets of it: a payout of 100.00 GBP, for which the bank took 127.85 USDC.

const world = await startWorld({ environment: 'live', settleAfterMs: 24 * 3_600_000 });
const client = { url: world.api.url, key: world.partner.key };

async function sql<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
  return asAdmin(world.database.superuserUrl, async (admin) => (await admin.query<Row>(text, values)).rows);
}

async function becomes({ id }: ApiAnswer, status: string): Promise<void> {
  await eventually(`${id} is ${status}`, async () => (await getPayout(client, id)).payout === status);
}

async function pay(): Promise<{ made: ApiAnswer; payment: string }> {
  const made = await createPayout(client, payoutBody({ amount_gbp: '100.00' }));
  assert.equal(made.status, 201, made.text);
  const [row] = await sql<{ payment: string }>('select bank_payment_id as payment from kelpie.payouts where id = $1', [
    made.id,
  ]);
  assert(row !== undefined);
  return { made, payment: row.payment };
}

async function completed(): Promise<{ made: ApiAnswer; payment: string }> {
  const paid = await pay();
  await world.bank.control(`/transfers/${paid.payment}/settle`);
  await becomes(paid.made, 'completed');
  return paid;
}

async function booksOf({ id }: ApiAnswer): Promise<Record<string, string>> {
  const rows = await sql<{ account: string; sum: string }>(
    'select account::text, sum(amount) from kelpie.ledger_entries where cause_id = $1 group by 1 having sum(amount) <> 0 order by 1',
    [id],
  );
  return Object.fromEntries(rows.map(({ account, sum }) => [account, sum]));
}

async function casesOf({ id }: ApiAnswer): Promise<string[]> {
  const rows = await sql<{ kind: string }>('select kind from kelpie.cases where payout_id = $1 order by kind', [id]);
  return rows.map(({ kind }) => kind);
}

async function usdc(): Promise<string> {
  return textAt((await call(client, '/v1/balance')).json, 'usdc');
}

/** As a poll would in its time. */
async function askBank({ id }: ApiAnswer): Promise<void> {
  await sql(`update kelpie.payout_leases set due_at = '-infinity' where payout_id = $1`, [id]);
}

for (const [what, micro] of [
  ['1.00', 1_000_000],
  ['300.00', 300_000_000],
] as const) {
  test(`faults 42: a return of ${what} where 127.85 was sent is in suspense, and a person has to look`, async () => {
    const { made, payment } = await completed();
    const before = await usdc();
    await world.bank.control(`/transfers/${payment}/return`, { refund_micro_usdc: micro });
    await becomes(made, 'returned');
    assert.equal(await usdc(), before);
    assert.deepEqual(await casesOf(made), ['return_differs']);
    const books = await booksOf(made);
    assert.deepEqual(
      [books['bank_wallet'], books['suspense'], books['wallet']],
      [String(micro - 127_850_000), String(-micro), '127850000'],
    );
    await assertAllHolds({ ...world, acknowledged: [made.id] });
  });
}

test('two operators give a return that is in suspense to the partner, and no more than is there', async () => {
  const { made, payment } = await completed();
  const before = Number(await usdc());
  await world.bank.control(`/transfers/${payment}/return`, { refund_micro_usdc: 1_000_000 });
  await becomes(made, 'returned');
  const [opened] = await sql<{ id: string }>('select id from kelpie.cases where payout_id = $1', [made.id]);
  assert(opened !== undefined);
  const args = ['cases', 'correct', opened.id, '--book', 'suspense-to-wallet', '--revision', '0', '--json'];
  const correct = async (amount: string) => {
    const proposed = await kelpieAdmin(world.database, [...args, '--amount', amount, '--reason', 'ticket 812']);
    assert.equal(proposed.code, 0, proposed.said);
    const approve = ['approvals', 'approve', textAt(proposed.data(), 'id'), '--json'];
    return kelpieAdmin(world.database, approve, asSecondPerson(world.database));
  };
  // The return before this one left 301.00 there.
  const tooMuch = await correct('302.01');
  assert.deepEqual([tooMuch.code, textAt(tooMuch.json(), 'error.code')], [2, 'suspense_short'], tooMuch.said);
  const corrected = await correct('1.00');
  assert.equal(corrected.code, 0, corrected.said);
  assert.equal((Number(await usdc()) - before).toFixed(2), '1.00');
  await assertAllHolds({ ...world, acknowledged: [made.id] });
});

test('a return with all but the share of the bank is credited to the wallet, without a case', async () => {
  const { made, payment } = await completed();
  const before = Number(await usdc());
  await world.bank.control(`/transfers/${payment}/return`, { refund_micro_usdc: 126_590_000 });
  await becomes(made, 'returned');
  assert.equal((Number(await usdc()) - before).toFixed(2), '126.59');
  assert.deepEqual(await casesOf(made), []);
  await assertAllHolds({ ...world, acknowledged: [made.id] });
});

test('faults 42: a payment that fails costs the partner the same, whether its failure was seen or only its refund', async (t) => {
  const seen: { history: object[]; books: Record<string, string>; cases: string[] }[] = [];
  const before = await usdc();
  t.after(async () => world.bank.control('/webhooks', { mode: 'normal' }));
  for (const mode of ['normal', 'lose']) {
    await world.bank.control('/webhooks', { mode: 'normal' });
    const { made, payment } = await pay();
    await world.bank.control('/webhooks', { mode });
    await world.bank.control(`/transfers/${payment}/fail`, {});
    if (mode === 'normal') await becomes(made, 'failed');
    await world.bank.control(`/transfers/${payment}/refund`, { refund_micro_usdc: 120_000_000 });
    if (mode === 'lose') await askBank(made);
    await eventually('all of it is back', async () => (await usdc()) === before);
    const history = await sql<{ state: string; what: string }>(
      'select state::text, what from kelpie.payout_history where payout_id = $1 order by number',
      [made.id],
    );
    seen.push({ history, books: await booksOf(made), cases: await casesOf(made) });
  }
  assert.deepEqual(seen[0], seen[1]);
  assert.deepEqual(seen[0]?.books, { bank_wallet: '-7850000', exception_loss: '7850000' });
  assert.deepEqual(seen[0]?.cases, ['refund_differs']);
  await assertAllHolds(world);
});

test('a payment that is said to have arrived after it came back is told to a person, and nothing moves', async () => {
  const { made, payment } = await completed();
  await world.bank.control(`/transfers/${payment}/return`, {});
  await becomes(made, 'returned');
  const books = await booksOf(made);
  await world.bank.control(`/transfers/${payment}/state`, { state: 'payment_processed' });
  await eventually('a case is open', async () => (await casesOf(made)).includes('arrived_after_all'));
  assert.equal((await getPayout(client, made.id)).payout, 'returned');
  assert.deepEqual(await booksOf(made), books);
});
