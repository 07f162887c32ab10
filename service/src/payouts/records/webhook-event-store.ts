import { batchValues, enumOf, text, timestamptz, uuid, type Columns } from '../../platform/database/batch-call.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import type { PartnerContext } from '../../platform/database/transaction.ts';
import { payoutCalls } from './calls.ts';

export interface UnmatchedEvent {
  environment: PartnerContext['environment'];
  eventId: string;
  paymentId: string;
  orderId: string | null;
}

/** With when it was received. */
interface ReceivedEvent extends UnmatchedEvent {
  at: Date;
}

const eventColumns = {
  environments: enumOf<UnmatchedEvent['environment']>('environment')(({ environment }) => environment),
  event_ids: text(({ eventId }) => eventId),
  payment_ids: text(({ paymentId }) => paymentId),
  order_ids: uuid(({ orderId }) => orderId),
  received_ats: timestamptz(({ at }) => at),
} satisfies Columns<ReceivedEvent>;

export async function keepUnmatchedEvents(
  calls: SingleCalls,
  events: readonly ReceivedEvent[],
  firstRetryMs: number,
): Promise<void> {
  if (events.length === 0) return;
  const values = [...batchValues(eventColumns, events), `${firstRetryMs} milliseconds`];
  await calls.call(payoutCalls.keepUnmatched, values);
}

interface UnmatchedRow {
  environment: PartnerContext['environment'];
  event_id: string;
  payment_id: string;
  order_id: string | null;
  tries: number;
}

/** Those that are due, each with how often it has been tried; whoever takes one has it until it is due again. */
export async function claimUnmatchedEvents(
  calls: SingleCalls,
  now: Date,
  most: number,
): Promise<(UnmatchedEvent & { tries: number })[]> {
  const rows = await calls.call<UnmatchedRow>(payoutCalls.claimUnmatched, [now, most]);
  return rows.map((row) => ({
    environment: row.environment,
    eventId: row.event_id,
    paymentId: row.payment_id,
    orderId: row.order_id,
    tries: row.tries,
  }));
}

export async function dropUnmatchedEvent(calls: SingleCalls, event: UnmatchedEvent): Promise<void> {
  await calls.call(payoutCalls.dropUnmatched, [event.environment, event.eventId]);
}
