import type { Cast } from './operators-cast.ts';
import type { PlayedOrder } from './operators-orders.ts';
import { partnersInAll } from './operators-plan.ts';

// What must be true of each order once operators have done their work, reckoned from its fate alone.

/** What each partner's wallet holds, in micro-USDC. */
export async function readWallets({ sql, partnerAt }: Cast): Promise<bigint[]> {
  const ids = Array.from({ length: partnersInAll }, (_, place) => partnerAt(place).partnerId);
  const rows = await sql<{ partner_id: string; balance: string }>(
    `select partner_id, balance_micro_usdc as balance from kelpie.wallets
     where partner_id = any ($1) and environment = 'live'`,
    [ids],
  );
  const held = new Map(rows.map((row) => [row.partner_id, BigInt(row.balance)]));
  return ids.map((id) => held.get(id) ?? 0n);
}

interface Payout {
  state: string;
  sends: string;
  order_id: string;
}

/** Whether the bank was to pay for it, whatever became of that later. */
function isPaid({ endsAs, fate }: PlayedOrder): boolean {
  return endsAs === 'completed' || endsAs === 'returned' || fate === 'fails';
}

function judgeEnd(order: PlayedOrder, payouts: readonly Payout[]): string[] {
  const ends = payouts.map(({ state }) => state);
  const expected = order.endsAs === null ? [] : [order.endsAs];
  return ends.join() === expected.join()
    ? []
    : [`an order that ${order.fate} ended as ${ends.join(' and ') || 'nothing'}, not as ${order.endsAs ?? 'nothing'}`];
}

async function judgeOrder({ sql, world }: Cast, order: PlayedOrder): Promise<{ spent: bigint; wrong: string[] }> {
  const payouts = await sql<Payout>(
    `select state::text, wallet_debit_micro_usdc as sends, order_id
     from kelpie.visible_payouts where idempotency_key = $1`,
    [order.key],
  );
  const wrong = judgeEnd(order, payouts);
  const [payout] = payouts;
  if (payout === undefined) return { spent: 0n, wrong };
  const { payments } = await world.bank.record();
  const paid = payments.filter((one) => one.client_reference_id === payout.order_id).length;
  if (paid !== (isPaid(order) ? 1 : 0)) wrong.push(`an order that ${order.fate} was paid ${paid} times`);
  const sends = BigInt(payout.sends);
  return { spent: sends - (order.back ?? sends), wrong };
}

/** Every order has its end, the bank paid it once or not at all, and each wallet has lost just what was spent. */
export async function judgeOrders(
  cast: Cast,
  played: readonly PlayedOrder[],
  before: readonly bigint[],
): Promise<string[]> {
  const violations: string[] = [];
  const expected = [...before];
  for (const order of played) {
    const { spent, wrong } = await judgeOrder(cast, order);
    violations.push(...wrong);
    expected[order.partner] = (expected[order.partner] ?? 0n) - spent;
  }
  const now = await readWallets(cast);
  for (const [place, balance] of now.entries())
    if (balance !== expected[place]) violations.push(`a wallet holds ${balance}, not ${expected[place]}`);
  const stuck = await cast.openCases();
  violations.push(...stuck.map(({ kind }) => `a case ${kind} is open, and nobody can close it`));
  return violations;
}
