import type { PaymentNews } from '../../banks/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { wasUndone, type SingleCalls } from '../../platform/database/single-call.ts';
import { tooBusy } from '../../platform/database/too-busy.ts';
import type { PartnerContext } from '../../platform/database/transaction.ts';
import { createMicroBatch } from '../../platform/micro-batch.ts';
import type { WakeSender } from '../../platform/wake-ups/wake-sender.ts';
import { isOrderId } from '../model/order.ts';
import { wakePayouts } from '../records/lease-store.ts';
import { keepUnmatchedEvents } from '../records/webhook-event-store.ts';

type Environment = PartnerContext['environment'];
type ReceiveWebhook = (environment: Environment, news: PaymentNews) => Promise<void>;

const firstRetryMs = 1_000;
const mostAtOnce = 64;
/** The bank is answered this much later. A worker looks at what was woken every 200 ms. */
const gatherMs = 30;

interface Received {
  environment: Environment;
  eventId: string;
  paymentId: string;
  orderId: string | null;
  isUnderWay: boolean;
  at: Date;
}

/** Those of which no payout of ours is known are kept, and tried again. To do all of it twice is the same as once. */
async function receiveTogether(calls: SingleCalls, batch: readonly Received[]): Promise<undefined[]> {
  const named = batch.flatMap((one) => (one.orderId === null ? [] : [{ ...one, orderId: one.orderId }]));
  const areKnown = await wakePayouts(calls, named);
  const known = new Set(
    named.flatMap(({ eventId, environment }, at) => (areKnown[at] ? [`${environment} ${eventId}`] : [])),
  );
  const unmatched = batch.filter(({ eventId, environment }) => !known.has(`${environment} ${eventId}`));
  await keepUnmatchedEvents(calls, unmatched, firstRetryMs);
  return batch.map(() => undefined);
}

/**
 * A webhook only wakes it: it makes its payout due, and whoever looks after open payouts reads from the bank what is true. So a
 * hundred of the same do what one does. What comes at once is written at once, by two connections at most: a flood leaves
 * the others to callers, and what finds no room is refused, for the bank to send again.
 */
export function createWebhookReceiver(deps: {
  calls: SingleCalls;
  clock: Clock;
  wakes: Pick<WakeSender, 'wake'>;
}): ReceiveWebhook {
  const { calls, clock, wakes } = deps;
  const receive = createMicroBatch<Received, undefined>({
    name: 'wake_payouts',
    size: mostAtOnce,
    eager: false,
    gatherMs,
    keyOf: null,
    didNothing: wasUndone,
    tooMany: tooBusy,
    together: async (batch) => receiveTogether(calls, batch),
  });
  return async (environment, { eventId, paymentId, ourReference, isUnderWay }) => {
    const orderId = ourReference !== null && isOrderId(ourReference) ? ourReference : null;
    await receive({ environment, eventId, paymentId, orderId, isUnderWay, at: clock.now() });
    wakes.wake('payouts');
  };
}
