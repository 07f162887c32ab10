import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { textAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { formatExactUsdc } from '../../src/money/amounts.ts';
import { asSecondPerson, kelpieAdmin, type CommandResult } from '../app/commands/kelpie-admin.ts';
import { call, createPayout, getPayout, payoutBody } from '../harness/client.ts';
import { createTestClock, passTime } from '../harness/clock.ts';
import { assertAllHolds } from '../harness/invariants.ts';
import { untilQuiet } from '../harness/waits.ts';
import { startWorld } from '../harness/world.ts';
import {
  attemptOf,
  fault,
  makeLost,
  payAtBank,
  paymentsOf,
  refuseAndPay,
  untilCase,
  untilPaid,
} from './open-payouts.ts';

// Payouts that their own rules leave open: two operators release, settle or adopt them. The bank's record says what was paid.

const clock = createTestClock();
const started = await startWorld({ settleAfterMs: 300, env: { KELPIE_TEST_CLOCK_FILE: clock.file } });
const world = Object.assign(started, { clock });
const { bank, database } = world;
const client = { url: world.api.url, key: world.partner.key };
const amount = '100.00';
const why = ['--reason', 'ticket 812'];

async function moveTime(byMs: number): Promise<void> {
  await passTime({ clock, bank }, byMs);
}

async function clearFaults(): Promise<void> {
  await bank.control('DELETE /faults');
}

async function run(person: 'ada' | 'grace', args: readonly string[]): Promise<CommandResult> {
  return kelpieAdmin(database, [...args, '--json'], {
    KELPIE_TEST_CLOCK_FILE: clock.file,
    KELPIE_SANDBOX_BANK_URL: bank.wireUrl,
    KELPIE_SANDBOX_BANK_API_KEY: bank.apiKey,
    ...(person === 'grace' ? asSecondPerson(database) : {}),
  });
}

async function propose(verb: string, id: string, more: readonly string[] = []): Promise<string> {
  const proposed = await run('ada', ['payouts', verb, id, ...more, ...why]);
  assert.equal(proposed.code, 0, proposed.said);
  return textAt(proposed.data(), 'id');
}

async function approve(proposal: string): Promise<CommandResult> {
  return run('grace', ['approvals', 'approve', proposal]);
}

async function assertDone(command: Promise<CommandResult>): Promise<void> {
  const { code, said } = await command;
  assert.equal(code, 0, said);
}

async function assertRefused(command: Promise<CommandResult>, code: string): Promise<void> {
  const refused = await command;
  assert.deepEqual([refused.code, textAt(refused.json(), 'error.code')], [2, code], refused.said);
}

async function usdc(): Promise<string> {
  return textAt((await call(client, '/v1/balance')).json, 'usdc');
}

async function close(caseId: string, act: string): Promise<CommandResult> {
  return run('ada', ['cases', 'close', caseId, '--act', act, ...why]);
}

/** Each webhook of the bank's is a change of the payout, until the last one is through. */
async function adopt(id: string, payment: string): Promise<void> {
  await eventually('it is adopted', async () => {
    const approved = await approve(await propose('adopt', id, ['--payment', payment]));
    const isDone = approved.code === 0;
    assert(isDone || textAt(approved.json(), 'error.code') === 'revision_changed', approved.said);
    return isDone;
  });
}

test('two operators release the hold of a payout that the bank never had, and its case closes as released', async () => {
  const before = await usdc();
  const { made, caseId } = await makeLost(world);
  await assertRefused(close(caseId, 'none'), 'act_not_done');
  await assertRefused(close(caseId, 'released'), 'act_not_done');
  const early = await propose('release', made.id);
  await assertRefused(approve(early), 'in_progress');
  await moveTime(3 * 60_000);
  await assertRefused(run('ada', ['approvals', 'approve', early]), 'second_operator_required');
  assert.equal((await getPayout(client, made.id)).payout, 'pending');
  await assertDone(approve(early));
  const read = await getPayout(client, made.id);
  assert.deepEqual([read.payout, await usdc()], ['failed', before]);
  assert.match(read.text, /The bank did not receive the payment/);
  await assertDone(close(caseId, 'released'));
  await assertRefused(run('ada', ['payouts', 'release', made.id, ...why]), 'wrong_state');
  await assertAllHolds({ ...world, acknowledged: [made.id] });
});

test('a release is refused once the bank has a payment of it, also between proposal and approval', async () => {
  const { made, facts } = await makeLost(world);
  await moveTime(3 * 60_000);
  const proposal = await propose('release', made.id);
  await bank.control('/webhooks', { mode: 'lose' });
  const payment = await payAtBank(world, facts.order);
  await assertRefused(approve(proposal), 'payment_found');
  await assertRefused(approve(proposal), 'nothing_to_do');
  await assertRefused(run('ada', ['payouts', 'release', made.id, ...why]), 'payment_found');
  assert.equal((await getPayout(client, made.id)).payout, 'pending');
  // It is settled instead: the payment is there.
  await untilPaid(world, payment);
  await assertDone(approve(await propose('settle', made.id, ['--payment', payment])));
  assert.equal((await getPayout(client, made.id)).payout, 'completed');
  await bank.control('/webhooks', { mode: 'normal' });
  await untilQuiet(database);
  await assertAllHolds({ ...world, acknowledged: [made.id] });
});

test('a payment that the bank does not put a figure on is settled with the one that two operators state', async (t) => {
  await fault(world, 'no_amounts', 'any', {});
  t.after(clearFaults);
  const key = randomUUID();
  const made = await createPayout(client, payoutBody({ amount_gbp: amount }), key);
  const caseId = await untilCase(world, made.id, 'arrived_without_amount');
  const { order, payment } = await attemptOf(world, key);
  const [{ took } = { took: 0n }] = await paymentsOf(world, order);
  const named = ['--payment', payment ?? ''];
  await assertRefused(run('ada', ['payouts', 'settle', made.id, ...named, ...why]), 'nothing_to_settle');
  await assertRefused(run('ada', ['payouts', 'settle', made.id, '--payment', 'tr_other', ...why]), 'payment_differs');
  await assertRefused(close(caseId, 'none'), 'act_not_done');
  const proposal = await propose('settle', made.id, [...named, '--took', formatExactUsdc(took)]);
  await assertDone(approve(proposal));
  assert.equal((await getPayout(client, made.id)).payout, 'completed');
  await assertDone(close(caseId, 'settled'));
  await clearFaults();
  await assertRefused(
    run('ada', ['payouts', 'settle', made.id, ...named, '--took', '1.00', ...why]),
    'amount_contradicted',
  );
  await untilQuiet(database);
  await assertAllHolds({ ...world, acknowledged: [made.id] });
});

test('a return that the bank does not put a figure on is settled with the one that two operators state', async (t) => {
  const key = randomUUID();
  const made = await createPayout(client, payoutBody({ amount_gbp: amount }), key);
  await eventually('it arrives', async () => (await getPayout(client, made.id)).payout === 'completed');
  const { order, payment } = await attemptOf(world, key);
  const [{ took } = { took: 0n }] = await paymentsOf(world, order);
  const before = await usdc();
  await fault(world, 'no_amounts', 'any', {});
  t.after(clearFaults);
  await bank.control(`/transfers/${payment ?? ''}/return`, { refund_micro_usdc: Number(took) });
  const caseId = await untilCase(world, made.id, 'refunded_without_amount');
  const named = ['--payment', payment ?? '', '--refunded', formatExactUsdc(took)];
  await assertDone(approve(await propose('settle', made.id, named)));
  assert.equal((await getPayout(client, made.id)).payout, 'returned');
  assert.notEqual(await usdc(), before);
  await assertDone(close(caseId, 'settled'));
  await clearFaults();
  await untilQuiet(database);
  await assertAllHolds({ ...world, acknowledged: [made.id] });
});

test('a case of money in suspense does not close before two operators have moved it on', async () => {
  const key = randomUUID();
  const made = await createPayout(client, payoutBody({ amount_gbp: amount }), key);
  await eventually('it arrives', async () => (await getPayout(client, made.id)).payout === 'completed');
  const { payment } = await attemptOf(world, key);
  await bank.control(`/transfers/${payment ?? ''}/return`, { refund_micro_usdc: 1_000_000 });
  const caseId = await untilCase(world, made.id, 'return_differs');
  await assertRefused(close(caseId, 'none'), 'act_not_done');
  const before = Number(await usdc());
  const args = ['cases', 'correct', caseId, '--book', 'suspense-to-wallet', '--amount', '1', '--revision', '0'];
  const proposed = await run('ada', [...args, ...why]);
  assert.equal(proposed.code, 0, proposed.said);
  await assertDone(approve(textAt(proposed.data(), 'id')));
  assert.equal(Number(await usdc()).toFixed(2), (before + 1).toFixed(2));
  await assertDone(close(caseId, 'corrected'));
  await assertAllHolds({ ...world, acknowledged: [made.id] });
});

test('faults 22: a payment of an order that was reported as not created is adopted, followed to its end, and answers its key', async () => {
  const before = await usdc();
  const key = randomUUID();
  const { facts, payment, caseId } = await refuseAndPay(world, key);
  await untilPaid(world, payment);
  await assertRefused(close(caseId, 'adopted'), 'act_not_done');
  await adopt(facts.id, payment);
  await eventually('it arrives', async () => (await getPayout(client, facts.id)).payout === 'completed');
  assert.notEqual(await usdc(), before);
  await assertDone(close(caseId, 'adopted'));
  const again = await createPayout(client, payoutBody({ amount_gbp: amount }), key);
  assert.deepEqual([again.status, again.id], [200, facts.id], again.text);
  assert.equal((await paymentsOf(world, facts.order)).length, 1);
  await untilQuiet(database);
  await assertAllHolds({ ...world, acknowledged: [facts.id] });
});

test('an adopted payment that comes back is given back like any other', async () => {
  const { facts, payment } = await refuseAndPay(world, randomUUID());
  await untilPaid(world, payment);
  const before = await usdc();
  await adopt(facts.id, payment);
  const [{ took } = { took: 0n }] = await paymentsOf(world, facts.order);
  await bank.control(`/transfers/${payment}/return`, { refund_micro_usdc: Number(took) });
  await eventually('it is returned', async () => (await getPayout(client, facts.id)).payout === 'returned');
  await untilQuiet(database);
  assert.equal(await usdc(), before);
  await assertAllHolds({ ...world, acknowledged: [facts.id] });
});

test('an adoption is refused for another amount, for a wallet that does not cover it, and by the database without a proposal', async () => {
  const { facts, payment, caseId } = await refuseAndPay(world, randomUUID(), '99.00');
  await untilPaid(world, payment);
  await assertRefused(run('ada', ['payouts', 'adopt', facts.id, '--payment', payment, ...why]), 'payment_differs');
  await assertRefused(close(caseId, 'none'), 'act_not_done');
  const good = await refuseAndPay(world, randomUUID());
  await untilPaid(world, good.payment);
  await withEmptyWallet(async () => {
    await eventually('the wallet is too low', async () => {
      const refused = await approve(await propose('adopt', good.facts.id, ['--payment', good.payment]));
      return textAt(refused.json(), 'error.code') === 'wallet_short';
    });
  });
  await assert.rejects(
    asAdmin(database.superuserUrl, async (admin) =>
      admin.query(
        `update kelpie.payouts set state = 'processing', revision = revision + 1, bank_payment_id = 'x' where id = $1`,
        [good.facts.id],
      ),
    ),
    /does not move from not_created to processing/,
  );
  await adopt(good.facts.id, good.payment);
  await eventually('it arrives', async () => (await getPayout(client, good.facts.id)).payout === 'completed');
});

/** Says what the books said before. */
async function setWallet(microUsdc: string): Promise<string> {
  return asAdmin(database.superuserUrl, async (admin) => {
    const of = [world.partner.partnerId];
    const { rows } = await admin.query<{ balance: string }>(
      `select balance_micro_usdc::text as balance from kelpie.wallets where partner_id = $1 and environment = 'sandbox'`,
      of,
    );
    await admin.query('set session_replication_role = replica');
    await admin.query(
      `update kelpie.wallets set balance_micro_usdc = ${microUsdc} where partner_id = $1 and environment = 'sandbox'`,
      of,
    );
    return rows[0]?.balance ?? '0';
  });
}

async function withEmptyWallet(work: () => Promise<void>): Promise<void> {
  const balance = await setWallet('0');
  try {
    await work();
  } finally {
    await setWallet(balance);
  }
}

test('a payment of a payout that was released opens a case, and nothing is booked for it', async () => {
  const { made, facts } = await makeLost(world);
  await moveTime(3 * 60_000);
  await assertDone(approve(await propose('release', made.id)));
  await payAtBank(world, facts.order);
  const caseId = await untilCase(world, made.id, 'paid_though_failed');
  assert.equal((await getPayout(client, made.id)).payout, 'failed');
  await assertRefused(close(caseId, 'released'), 'act_not_done');
  await assertRefused(close(caseId, 'none'), 'act_not_done');
});
