import { randomUUID } from 'node:crypto';
import { eventually } from '@kelpie/dev/eventually.ts';
import { textAt, valueAt } from '@kelpie/dev/json.ts';
import { callWire } from '@kelpie/sandbox-bank/test/customer.ts';
import { createPayout, payoutBody, type ApiAnswer } from '../harness/client.ts';
import type { Cast } from './operators-cast.ts';
import type { Fate, PlannedOrder } from './operators-plan.ts';

// How each fate of an order is brought about, by the bank's own controls. What the order must end as is written down here,
// not read from the code under test.

export interface PlayedOrder extends PlannedOrder {
  key: string;
  /** Where its payout must end; null where the partner shall see none. */
  endsAs: 'completed' | 'failed' | 'returned' | null;
  /** What comes back to the wallet of what it sent, in micro-USDC; null for all of it. */
  back: bigint | null;
}

type Ended = Pick<PlayedOrder, 'endsAs' | 'back'>;

const completed: Ended = { endsAs: 'completed', back: 0n };
const failed: Ended = { endsAs: 'failed', back: null };
const most = 60_000;

/** What is played now. */
interface Playing {
  cast: Cast;
  order: PlannedOrder;
  key: string;
}

function bodyOf({ amountPence }: PlannedOrder): Record<string, unknown> {
  return payoutBody({ amount_gbp: `${Math.floor(amountPence / 100)}.${String(amountPence % 100).padStart(2, '0')}` });
}

async function pay({ cast, order, key }: Playing): Promise<ApiAnswer> {
  return createPayout(cast.clientOf(order.partner), bodyOf(order), key);
}

async function payFor(playing: Playing, expected: number): Promise<ApiAnswer> {
  const answer = await pay(playing);
  if (answer.status !== expected && !(expected === 201 && answer.status === 200))
    throw new Error(`${playing.order.fate}: expected ${expected}, got ${answer.status} ${answer.text}`);
  return answer;
}

interface Attempt {
  id: string;
  order: string;
  state: string;
  payment: string | null;
}

async function newestAttempt({ sql }: Cast, key: string): Promise<Attempt> {
  const [row] = await sql<Attempt>(
    `select id, order_id as order, state::text, bank_payment_id as payment from kelpie.payouts
     where idempotency_key = $1 order by id desc limit 1`,
    [key],
  );
  if (row === undefined) throw new Error('an order that left no attempt');
  return row;
}

async function untilState({ cast, key, order }: Playing, ...states: string[]): Promise<Attempt> {
  let seen: Attempt | undefined;
  await eventually(
    `${order.fate}: ${states.join(' or ')}`,
    async () => {
      seen = await newestAttempt(cast, key);
      return states.includes(seen.state);
    },
    most,
  );
  if (seen === undefined) throw new Error('nothing was seen');
  return seen;
}

async function untilCase({ cast, key }: Playing, kind: string): Promise<void> {
  const { id } = await newestAttempt(cast, key);
  const isOpen = async (): Promise<boolean> =>
    (await cast.openCases()).some((one) => one.payoutId === id && one.kind === kind);
  await eventually('a person is asked', isOpen, most);
}

async function fault({ cast }: Playing, kind: string, more: object = {}): Promise<void> {
  await cast.world.bank.control('/faults', { on: 'transfer.create', kind, times: 1, ...more });
}

async function refuse(playing: Playing): Promise<void> {
  await fault(playing, 'reject', { code: 'invalid_parameters' });
  await payFor(playing, 502);
}

async function settle(playing: Playing): Promise<string> {
  const { payment } = await untilState(playing, 'processing');
  await playing.cast.world.bank.control(`/transfers/${payment ?? ''}/settle`);
  await untilState(playing, 'completed');
  return payment ?? '';
}

async function takenFor({ cast }: Playing, payment: string): Promise<bigint> {
  const { payments } = await cast.world.bank.record();
  const found = payments.find((one) => one.transfer_id === payment);
  if (found === undefined) throw new Error('a payment that the bank does not have');
  return found.taken_micro_usdc;
}

/** The bank pays an order that it refused: the same account, and the same amount. */
async function payAtBank(playing: Playing): Promise<void> {
  const { cast, order, key } = playing;
  const known = await cast.knownTransfer(order.partner);
  const destination = {
    currency: 'gbp',
    payment_rail: 'faster_payments',
    external_account_id: textAt(known, 'destination.external_account_id'),
    amount: bodyOf(order)['amount_gbp'],
    reference: 'By hand',
  };
  const body = {
    on_behalf_of: valueAt(known, 'on_behalf_of'),
    source: valueAt(known, 'source'),
    destination,
    client_reference_id: (await newestAttempt(cast, key)).order,
  };
  const { status, text } = await callWire(cast.world.bank, '/transfers', { body, key: randomUUID() });
  if (status !== 201) throw new Error(`the bank did not pay by hand: ${text}`);
}

async function refusedYetPaid(playing: Playing): Promise<Ended> {
  const { cast, order } = playing;
  const { bank } = cast.world;
  const isHeard = order.foundBy === 'operators';
  await refuse(playing);
  if (!isHeard) await bank.control('/webhooks', { mode: 'lose' });
  await payAtBank(playing);
  if (isHeard) {
    await untilCase(playing, 'paid_though_not_created');
    return completed;
  }
  await payFor(playing, 201);
  await bank.control('/webhooks', { mode: 'normal' });
  await settle(playing);
  return completed;
}

async function lostThenRefused(playing: Playing): Promise<Ended> {
  const { cast, order } = playing;
  await fault(playing, 'drop_request');
  return cast.whileShort(order.partner, async () => {
    await payFor(playing, 201);
    await cast.passTime(3_000);
    await cast.passTime(3 * 60_000);
    await untilState(playing, 'failed');
    return failed;
  });
}

async function neverHeardOf(playing: Playing): Promise<Ended> {
  const { cast } = playing;
  await fault(playing, 'drop_request', { times: null });
  await payFor(playing, 201);
  await cast.passTime(24 * 3_600_000);
  await untilCase(playing, 'not_found_at_bank');
  await cast.world.bank.control('DELETE /faults');
  // Operators wait until nobody can be asking the bank for it any more.
  await cast.passTime(3 * 60_000);
  return failed;
}

async function comesBack(playing: Playing, changedBy: 'nothing' | 'less' | 'more'): Promise<Ended> {
  const { bank } = playing.cast.world;
  await payFor(playing, 201);
  const payment = await settle(playing);
  const taken = await takenFor(playing, payment);
  const amounts = { nothing: taken, less: 1_000_000n, more: taken + 50_000_000n };
  await bank.control(`/transfers/${payment}/return`, {
    reason: 'recalled',
    refund_micro_usdc: Number(amounts[changedBy]),
  });
  await untilState(playing, 'returned');
  // Operators give the partner what was sent and came back, and no more.
  return { endsAs: 'returned', back: changedBy === 'less' ? amounts.less : taken };
}

async function fails(playing: Playing): Promise<Ended> {
  const { bank } = playing.cast.world;
  await payFor(playing, 201);
  const { payment } = await untilState(playing, 'processing');
  const taken = await takenFor(playing, payment ?? '');
  await bank.control(`/transfers/${payment ?? ''}/fail`, {});
  await untilState(playing, 'failed');
  await bank.control(`/transfers/${payment ?? ''}/refund`, { refund_micro_usdc: Number(taken - 500_000n) });
  const { id } = await newestAttempt(playing.cast, playing.key);
  await eventually('the refund is booked', async () => playing.cast.isRefunded(id), most);
  return failed;
}

const players: Readonly<Record<Fate, (playing: Playing) => Promise<Ended>>> = {
  async arrives(playing) {
    await payFor(playing, 201);
    await settle(playing);
    return completed;
  },
  async 'is refused'(playing) {
    await refuse(playing);
    return { endsAs: null, back: null };
  },
  async 'is refused, then sent'(playing) {
    await refuse(playing);
    await payFor(playing, 201);
    await settle(playing);
    return completed;
  },
  'is refused, yet paid': refusedYetPaid,
  async 'loses its answer'(playing) {
    await fault(playing, 'drop_reply');
    await payFor(playing, 201);
    await playing.cast.passTime(3_000);
    await settle(playing);
    return completed;
  },
  'is lost, then refused': lostThenRefused,
  'is never heard of': neverHeardOf,
  'comes back': async (playing) => comesBack(playing, 'nothing'),
  'comes back in part': async (playing) => comesBack(playing, 'less'),
  'comes back with more': async (playing) => comesBack(playing, 'more'),
  fails,
  async 'costs too much'(playing) {
    await fault(playing, 'take_different', { micro_usdc: 20_000_000 });
    await payFor(playing, 201);
    // Its partner is stopped, and no other.
    await payFor({ ...playing, key: randomUUID() }, 403);
    await settle(playing);
    return completed;
  },
};

export async function play(cast: Cast, order: PlannedOrder): Promise<PlayedOrder> {
  const key = randomUUID();
  const ended = await players[order.fate]({ cast, order, key });
  return { ...order, key, ...ended };
}

/** The partner asks again with the same key, as it may at any time: it is told of the payout that it has. */
export async function repeat(cast: Cast, order: PlayedOrder): Promise<void> {
  if (order.endsAs !== null) await payFor({ cast, order, key: order.key }, 201);
}
