import { ApiError } from '../platform/api-error.ts';
import type { Clock } from '../platform/clock.ts';
import type { Pool } from '../platform/database/pool.ts';
import type { SingleCalls } from '../platform/database/single-call.ts';
import { inReadOnlyTransaction, type PartnerContext } from '../platform/database/transaction.ts';
import { firstIdAt, lastId } from '../platform/ids.ts';
import type { WakeSender } from '../platform/wake-ups/wake-sender.ts';
import { noSuchEndpoint } from './change-endpoints.ts';
import { listAttempts, listDeliveries, redeliverEvents, type Delivery, type ShownAttempt } from './delivery-store.ts';
import type { DeliveryState } from './endpoint.ts';
import { findEndpoint } from './store.ts';

export interface LogDeps {
  pool: Pool;
  calls: SingleCalls;
  clock: Clock;
  wakes: Pick<WakeSender, 'wake'>;
}

const dayMs = 24 * 60 * 60_000;
const logDays = 30;
const eventDays = 90;
const mostAttempts = 50;
const mostRedelivered = 5_000;

function firstIdSince({ clock }: LogDeps, days: number): string {
  return firstIdAt(new Date(clock.now().getTime() - days * dayMs));
}

async function requireEndpoint({ pool }: LogDeps, of: PartnerContext, id: string): Promise<void> {
  const found = await inReadOnlyTransaction(pool, of, async (tx) => findEndpoint(tx, of, id));
  if (found === null) throw noSuchEndpoint();
}

interface LogFilter {
  endpointId: string;
  state: DeliveryState | null;
  /** The id of the event before which the page begins. */
  cursor: string | null;
  limit: number;
}

/** The newest first. */
export async function readDeliveries(
  deps: LogDeps,
  of: PartnerContext,
  { endpointId, state, cursor, limit }: LogFilter,
): Promise<{ deliveries: Delivery[]; cursor: string | null }> {
  await requireEndpoint(deps, of, endpointId);
  // One more than is asked for: it tells whether there is a next page.
  const page = {
    endpointId,
    state,
    beforeId: cursor ?? lastId,
    sinceId: firstIdSince(deps, logDays),
    limit: limit + 1,
  };
  const found = await listDeliveries(deps.calls, of, page);
  const deliveries = found.slice(0, limit);
  return { deliveries, cursor: found.length > limit ? (deliveries.at(-1)?.eventId ?? null) : null };
}

export async function readDelivery(
  deps: LogDeps,
  of: PartnerContext,
  { endpointId, eventId }: { endpointId: string; eventId: string },
): Promise<{ delivery: Delivery; attempts: ShownAttempt[] }> {
  await requireEndpoint(deps, of, endpointId);
  const only = { endpointId, state: null, beforeId: lastId, sinceId: firstIdSince(deps, logDays), limit: 1 };
  const [delivery] = await listDeliveries(deps.calls, of, { ...only, eventId });
  if (delivery === undefined) throw noSuchDelivery();
  return { delivery, attempts: await listAttempts(deps.calls, of, { endpointId, eventId, limit: mostAttempts }) };
}

function noSuchDelivery(): ApiError {
  return new ApiError({ code: 'not_found', message: 'This webhook has no delivery of an event with this id.' });
}

interface Redelivered {
  count: number;
  lastSequence: bigint | null;
  hasMore: boolean;
}

export async function redeliver(
  deps: LogDeps,
  of: PartnerContext,
  { endpointId, which }: { endpointId: string; which: { eventId: string } | { after: bigint } },
): Promise<Redelivered> {
  const { calls, clock, wakes } = deps;
  const wanted = { endpointId, which, sinceId: firstIdSince(deps, eventDays), atMost: mostRedelivered };
  const redelivered = await redeliverEvents(calls, of, wanted, clock.now());
  if (redelivered === null) throw noSuchEndpoint();
  if ('eventId' in which && redelivered.count === 0) throw noSuchDelivery();
  wakes.wake('numbered');
  return { ...redelivered, hasMore: redelivered.count === mostRedelivered };
}
