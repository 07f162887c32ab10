import type { EventReader } from '../events/index.ts';
import type { NotifyAdmins } from '../platform/acts/confirmed-act.ts';
import type { Clock } from '../platform/clock.ts';
import type { Pool } from '../platform/database/pool.ts';
import { wasUndone, type SingleCalls } from '../platform/database/single-call.ts';
import { tooBusy } from '../platform/database/too-busy.ts';
import type { Egress } from '../platform/egress/egress.ts';
import type { EgressResult } from '../platform/egress/exchange.ts';
import type { Encryptor } from '../platform/encryption.ts';
import { newId } from '../platform/ids.ts';
import type { Logger } from '../platform/logging.ts';
import { createMicroBatch } from '../platform/micro-batch.ts';
import type { SpanAttributes } from '../platform/span-attributes.ts';
import { inSpan, type SpanStart } from '../platform/spans.ts';
import type { Tracer } from '../platform/tracing/tracer.ts';
import { claimDeliveries, recordAttempts, type Attempt, type ClaimedDelivery } from './delivery-store.ts';
import type { DeliveryMetrics } from './delivery-metrics.ts';
import { disableEndpoint } from './disable-endpoint.ts';
import { mayBePlain } from './endpoint.ts';
import { messageBody, signMessage } from './message.ts';
import { probeAfterMs, retryAfterMs } from './retry-times.ts';

export interface DeliveryDeps {
  pool: Pool;
  calls: SingleCalls;
  clock: Clock;
  logger: Logger;
  tracer: Tracer;
  encryptor: Encryptor;
  egress: Egress;
  events: Pick<EventReader, 'describe'>;
  notifyAdmins: NotifyAdmins;
  dashboardUrl: string | null;
  metrics: DeliveryMetrics;
}

/** An attempt takes ten seconds at most, and its result some more. */
const leaseMs = 30_000;
/** An endpoint that hangs holds so many of a worker's places and no more. */
const mostOfEndpoint = 20;
const mostInFlight = 500;
const mostAtOnce = 200;
const mostResults = 200;
/** A result is written down this much later at most. An endpoint that has all its places taken gets the next event then. */
const gatherResultsMs = 40;

export interface Deliverer {
  /** Claims what is due and begins to send it. Says whether there may be more at once. */
  deliverDue(): Promise<boolean>;
  /** Once everything that was begun has its result, or the time is over. What is left then is sent again after its lease. */
  finish(withinMs: number): Promise<void>;
}

/** `onResult` is called when a result is written down: more may be due then. */
export function createDeliverer(deps: DeliveryDeps, onResult: () => void): Deliverer {
  const { calls, clock, logger } = deps;
  const underWay = new Set<Promise<void>>();
  const record = createMicroBatch<Attempt, null>({
    name: 'record_attempts',
    size: mostResults,
    keyOf: null,
    together: async (attempts) => {
      const failed = await recordAttempts(calls, clock.now(), attempts);
      // If one can't be disabled now, its next failed attempt leads here again.
      for (const endpoint of failed)
        await disableEndpoint(deps, endpoint).catch((error: unknown) =>
          logger.error({ error }, 'webhook.not_disabled'),
        );
      return attempts.map(() => null);
    },
    didNothing: wasUndone,
    tooMany: tooBusy,
    eager: false,
    gatherMs: gatherResultsMs,
  });
  /** An answer that the database refuses is left out of the log: otherwise the event would be sent again without end. */
  const recordWhatFits = async (made: Attempt): Promise<void> => {
    await record(made).catch(async (error: unknown) => {
      if (!wasUndone(error)) throw error;
      await record({ ...made, headers: null, body: null });
    });
  };
  const deliver = async (delivery: ClaimedDelivery, event: object): Promise<void> => {
    try {
      const attempted = await attempt(deps, delivery, event);
      deps.metrics.attempted(delivery, attempted);
      await recordWhatFits(attempted);
      onResult();
    } catch (error) {
      // It is due again once its lease ends.
      logger.warn({ error }, 'webhook.result_not_recorded');
    }
  };
  const begin = (delivery: ClaimedDelivery, event: object): void => {
    const working = follow(deps.tracer, delivery, async () => deliver(delivery, event)).finally(() =>
      underWay.delete(working),
    );
    underWay.add(working);
  };
  return {
    async deliverDue() {
      const atMost = Math.min(mostAtOnce, mostInFlight - underWay.size);
      if (atMost <= 0) return false;
      const claimed = await claimDeliveries(calls, clock.now(), { leaseMs, atMost, atMostEach: mostOfEndpoint });
      const bodies = await deps.events.describe(claimed);
      const byId = new Map(bodies.map((body) => [body.id, body]));
      for (const delivery of claimed) {
        const event = byId.get(delivery.event.id);
        if (event !== undefined) begin(delivery, event);
      }
      return claimed.length === atMost;
    },
    async finish(withinMs) {
      const { promise, resolve } = Promise.withResolvers<undefined>();
      const timer = setTimeout(() => resolve(undefined), withinMs);
      await Promise.race([Promise.allSettled(underWay), promise]);
      clearTimeout(timer);
    },
  };
}

/** An event of a payout is of the payout's trace. Others are of none. */
async function follow(tracer: Tracer, delivery: ClaimedDelivery, work: () => Promise<void>): Promise<void> {
  const { event, environment } = delivery;
  if (!event.type.startsWith('payout.')) return work();
  const attributes = {
    'kelpie.environment': environment,
    'kelpie.event.type': event.type,
    'kelpie.webhook.attempt': delivery.attempt,
  };
  return tracer.follow(event.subject.id, { name: 'webhook.deliver', kind: 'internal', attributes }, work);
}

/** Without the address: partners put secrets into them. */
const postSpan: SpanStart = { name: 'POST', kind: 'client', attributes: { 'http.request.method': 'POST' } };

function postResult(result: EgressResult): SpanAttributes {
  if (result.kind !== 'answered') return { 'kelpie.webhook.outcome': 'failed', 'error.type': result.reason };
  const isDelivered = result.status >= 200 && result.status < 300;
  const outcome = isDelivered ? 'delivered' : 'failed';
  return { 'kelpie.webhook.outcome': outcome, 'http.response.status_code': result.status };
}

async function attempt(deps: DeliveryDeps, delivery: ClaimedDelivery, event: object): Promise<Attempt> {
  const { clock, encryptor, egress } = deps;
  const { endpointId, url, secrets } = delivery;
  const begunAt = clock.now();
  const body = messageBody(event, delivery);
  const message = signMessage(encryptor, { endpointId, messageId: delivery.event.id, body, secrets }, begunAt);
  const request = { url, ...message, mayBePlain: mayBePlain(delivery) };
  const result = await inSpan(postSpan, async () => egress.post(request), postResult);
  const now = clock.now().getTime();
  return {
    id: newId(clock),
    endpointId,
    eventId: delivery.event.id,
    number: delivery.attempt,
    begunAt,
    ...resultFields(result),
    retryAt: new Date(now + retryAfterMs(delivery.attempt)),
    probeAt: new Date(now + probeAfterMs(delivery.failures + 1)),
    failuresBefore: delivery.failures,
  };
}

type ResultFields = Pick<Attempt, 'latencyMs' | 'status' | 'failure' | 'headers' | 'body'>;

function resultFields(result: EgressResult): ResultFields {
  const latencyMs = Math.round(result.latencyMs);
  return result.kind === 'answered'
    ? { latencyMs, status: result.status, failure: null, headers: result.headers, body: result.body }
    : { latencyMs, status: null, failure: result.reason, headers: null, body: null };
}
