import { textAt, valueAt } from '@kelpie/dev/json.ts';
import { callWire } from '@kelpie/sandbox-bank/test/customer.ts';
import type { CommandResult } from '../app/commands/kelpie-admin.ts';
import type { Cast, OpenCase } from './operators-cast.ts';
import type { PlayedOrder } from './operators-orders.ts';
import type { OperatorsPlan } from './operators-plan.ts';

// What two operators do, by the commands that they have: resume what was paused, and bring every case to its end.

const mostRounds = 6;
const because = ['--reason', 'simulated'];

function worked(what: string, result: CommandResult): CommandResult {
  if (result.code !== 0) throw new Error(`${what}: exit ${result.code}, ${result.said}`);
  return result;
}

function refused(what: string, result: CommandResult): void {
  if (result.code !== 2) throw new Error(`${what} was not refused: exit ${result.code}, ${result.said}`);
}

/** One proposes, the other approves. Mistakes on the way must change nothing. */
async function actByTwo(cast: Cast, { proposer, mistake }: OperatorsPlan, args: readonly string[]): Promise<void> {
  const what = args.slice(0, 2).join(' ');
  const other = proposer === 0 ? 1 : 0;
  const proposed = worked(what, await cast.command(proposer, [...args, ...because]));
  const approval = ['approvals', 'approve', textAt(proposed.data(), 'id')];
  if (mistake === 'own approval') refused('an approval of one’s own', await cast.command(proposer, approval));
  worked(`approval of ${what}`, await cast.command(other, approval));
  if (mistake === 'second approval') refused('a second approval', await cast.command(other, approval));
  cast.tally.add(`act ${what}`);
}

/** Lifts what an odd amount has stopped. */
export async function resumePayments(cast: Cast, plan: OperatorsPlan): Promise<void> {
  const blocks = await cast.sql<{ id: string }>(
    `select id from kelpie.payment_blocks where cause in ('partner_paused', 'rail_paused') order by since, id`,
  );
  for (const { id } of blocks) await actByTwo(cast, plan, ['rails', 'resume', id]);
}

async function paymentOf({ sql, world }: Cast, payoutId: string): Promise<string> {
  const [row] = await sql<{ order_id: string }>('select order_id from kelpie.payouts where id = $1', [payoutId]);
  const { payments } = await world.bank.record();
  const payment = payments.find((one) => one.client_reference_id === row?.order_id);
  if (payment === undefined) throw new Error('a case about a payment that the bank does not have');
  return payment.transfer_id;
}

async function isPending({ sql }: Cast, payoutId: string): Promise<boolean> {
  return (await sql(`select from kelpie.payouts where id = $1 and state = 'pending'`, [payoutId])).length > 0;
}

async function isAdopted({ sql }: Cast, payoutId: string): Promise<boolean> {
  const rows = await sql(
    `select from kelpie.payouts attempt join kelpie.idempotency_keys k on k.order_id = attempt.order_id
     where attempt.id = $1 and k.payout_id <> attempt.id`,
    [payoutId],
  );
  return rows.length > 0;
}

/** What operators give the partner of a return of a wrong amount. */
async function bookReturn(
  cast: Cast,
  plan: OperatorsPlan,
  one: OpenCase,
  played: readonly PlayedOrder[],
): Promise<void> {
  const [row] = await cast.sql<{ key: string }>('select idempotency_key as key from kelpie.payouts where id = $1', [
    one.payoutId,
  ]);
  const back = played.find(({ key }) => key === row?.key)?.back ?? null;
  if (back === null) throw new Error('a return of no order of this seed');
  const amount = `${back / 1_000_000n}.${String(back % 1_000_000n).padStart(6, '0')}`;
  const booking = ['--book', 'suspense-to-wallet', '--amount', amount, '--revision', String(one.revision)];
  await actByTwo(cast, plan, ['cases', 'correct', one.id, ...booking]);
}

/** Which act settles a case. */
async function settleCase(
  cast: Cast,
  plan: OperatorsPlan,
  one: OpenCase,
  played: readonly PlayedOrder[],
): Promise<string> {
  const payoutId = one.payoutId ?? '';
  switch (one.kind) {
    case 'paid_though_not_created':
      // The import of a recovery may have done it.
      if (!(await isAdopted(cast, payoutId)))
        await actByTwo(cast, plan, ['payouts', 'adopt', payoutId, '--payment', await paymentOf(cast, payoutId)]);
      return 'adopted';
    case 'not_found_at_bank':
      // The import of a recovery has released it.
      if (!(await isPending(cast, payoutId))) return 'none';
      await actByTwo(cast, plan, ['payouts', 'release', payoutId]);
      return 'released';
    case 'return_differs':
      await bookReturn(cast, plan, one, played);
      return 'corrected';
    default:
      return 'none';
  }
}

const ended = new Set(['payment_processed', 'undeliverable', 'returned', 'refund_in_flight', 'refunded', 'canceled']);

/** Payments that were adopted are still under way at the bank. */
async function settlePayments({ sql, world }: Cast, played: readonly PlayedOrder[]): Promise<void> {
  const rows = await sql<{ payment: string }>(
    `select bank_payment_id as payment from kelpie.payouts where idempotency_key = any ($1) and state = 'processing'`,
    [played.map(({ key }) => key)],
  );
  for (const { payment } of rows) {
    const { json } = await callWire(world.bank, `/transfers/${payment}`);
    // What the bank has ended is only read late.
    if (!ended.has(textAt(json, 'state'))) await world.bank.control(`/transfers/${payment}/settle`);
  }
}

/** Until nothing waits for a person. */
export async function clearDesk(cast: Cast, plan: OperatorsPlan, played: readonly PlayedOrder[]): Promise<void> {
  for (let round = 0; round < mostRounds; round += 1) {
    await resumePayments(cast, plan);
    await settlePayments(cast, played);
    await cast.untilOver(played.map(({ key }) => key));
    const open = await cast.openCases();
    if (open.length === 0) return;
    for (const one of open) {
      const act = await settleCase(cast, plan, one, played);
      await settlePayments(cast, played);
      worked(
        `closing ${one.kind}`,
        await cast.command(plan.proposer, ['cases', 'close', one.id, '--act', act, ...because]),
      );
      cast.tally.add(`closed ${one.kind} as ${act}`);
    }
  }
}

/** Live stays closed until what the bank did is back in the books, and two persons have opened it. */
export async function recover(cast: Cast, plan: OperatorsPlan, repeatKeys: () => Promise<void>): Promise<void> {
  const began = await cast.command(plan.proposer, ['recovery', 'begin', ...because]);
  worked('recovery begin', began);
  await cast.passTime(2 * 60_000);
  const imported = worked('recovery import', await cast.command(plan.proposer, ['recovery', 'import']));
  if (valueAt(imported.data(), 'is_done') !== true) throw new Error(`recovery import: ${imported.said}`);
  await repeatKeys();
  await actByTwo(cast, plan, ['recovery', 'open']);
}
