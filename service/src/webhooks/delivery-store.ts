import type { EventType, NumberedEvent } from '../events/index.ts';
import type { Call, SingleCalls } from '../platform/database/single-call.ts';
import {
  batchValues,
  integer,
  smallint,
  text,
  timestamptz,
  uuid,
  type Columns,
} from '../platform/database/batch-call.ts';
import type { PartnerContext } from '../platform/database/transaction.ts';
import type { DeliveryState } from './endpoint.ts';
import { secretsFrom, type EncryptedSecrets } from './store.ts';

/** A delivery that this worker is to make, until its lease ends. */
export interface ClaimedDelivery extends PartnerContext {
  endpointId: string;
  url: string;
  secrets: EncryptedSecrets;
  /** Failed attempts of the endpoint in a row. */
  failures: number;
  attempt: number;
  /** Since when it could be sent: later than its event where the endpoint failed or was busy, or another one came first. */
  dueAt: Date;
  previousSequence: bigint | null;
  event: NumberedEvent;
}

interface ClaimedRow {
  endpoint_id: string;
  event_id: string;
  attempt: number;
  was_due_at: Date;
  previous_sequence: string | null;
  partner_id: string;
  environment: PartnerContext['environment'];
  url: string;
  secret_encrypted: Buffer;
  previous_secret_encrypted: Buffer | null;
  previous_secret_until: Date | null;
  failures: number;
  sequence: string;
  type: EventType;
  subject_id: string;
  version: number;
  at: Date;
  snapshot: object | null;
}

const claimCall: Call = {
  name: 'claim_deliveries',
  text: 'select * from kelpie.claim_due_deliveries($1, $2, $3, $4)',
  writes: true,
};

export interface ClaimLimits {
  leaseMs: number;
  atMost: number;
  atMostEach: number;
}

export async function claimDeliveries(
  calls: SingleCalls,
  now: Date,
  { leaseMs, atMost, atMostEach }: ClaimLimits,
): Promise<ClaimedDelivery[]> {
  const values = [now, new Date(now.getTime() + leaseMs), atMost, atMostEach];
  return (await calls.call<ClaimedRow>(claimCall, values)).map((row) => ({
    endpointId: row.endpoint_id,
    partnerId: row.partner_id,
    environment: row.environment,
    url: row.url,
    secrets: secretsFrom(row),
    failures: row.failures,
    attempt: row.attempt,
    dueAt: row.was_due_at,
    previousSequence: row.previous_sequence === null ? null : BigInt(row.previous_sequence),
    event: {
      id: row.event_id,
      sequence: BigInt(row.sequence),
      type: row.type,
      subject: { id: row.subject_id, version: row.version },
      at: row.at,
      snapshot: row.snapshot,
    },
  }));
}

/** What an attempt met, and when the delivery and its endpoint are tried again if that was a failure. */
export interface Attempt {
  id: string;
  endpointId: string;
  eventId: string;
  number: number;
  begunAt: Date;
  latencyMs: number;
  status: number | null;
  failure: string | null;
  headers: Readonly<Record<string, string>> | null;
  body: string | null;
  retryAt: Date;
  probeAt: Date;
  /** Of the endpoint, when it began. */
  failuresBefore: number;
}

const attemptColumns = {
  attempt_ids: uuid(({ id }) => id),
  endpoint_ids: uuid(({ endpointId }) => endpointId),
  event_ids: uuid(({ eventId }) => eventId),
  numbers: integer(({ number }) => number),
  begun_ats: timestamptz(({ begunAt }) => begunAt),
  latencies_ms: integer(({ latencyMs }) => latencyMs),
  statuses: smallint(({ status }) => status),
  reasons: text(({ failure }) => failure),
  headers_given: text(({ headers }) => (headers === null ? null : JSON.stringify(headers))),
  bodies: text(({ body }) => body),
  retry_ats: timestamptz(({ retryAt }) => retryAt),
  probe_ats: timestamptz(({ probeAt }) => probeAt),
  failures_before: integer(({ failuresBefore }) => failuresBefore),
} satisfies Columns<Attempt>;

const recordArguments = Object.entries(attemptColumns).map(
  ([name, { sqlType }], at) => `${name} => $${at + 2}::${sqlType}[]`,
);
const recordCall: Call = {
  name: 'record_attempts',
  text: `select * from kelpie.record_attempts(now_at => $1, ${recordArguments.join(', ')})`,
  writes: true,
};

interface FailedEndpoint extends PartnerContext {
  endpointId: string;
}

interface FailedEndpointRow {
  endpoint_id: string;
  partner_id: string;
  environment: PartnerContext['environment'];
}

/** Returns the endpoints that have failed for so long that they are to be disabled. */
export async function recordAttempts(
  calls: SingleCalls,
  now: Date,
  attempts: readonly Attempt[],
): Promise<FailedEndpoint[]> {
  const values = [now, ...batchValues(attemptColumns, attempts)];
  const rows = await calls.call<FailedEndpointRow>(recordCall, values);
  return rows.map((row) => ({
    endpointId: row.endpoint_id,
    partnerId: row.partner_id,
    environment: row.environment,
  }));
}

const redeliverCall: Call = {
  name: 'redeliver_events',
  text: 'select * from kelpie.redeliver_events($1, $2, $3, $4, $5, $6, $7, $8)',
  writes: true,
};

interface Redelivery {
  endpointId: string;
  /** One event, or all after a number. */
  which: { eventId: string } | { after: bigint };
  /** Older ones are no longer shown. */
  sinceId: string;
  atMost: number;
}

/** Null for an endpoint that the partner does not have. */
export async function redeliverEvents(
  calls: SingleCalls,
  { partnerId, environment }: PartnerContext,
  { endpointId, which, sinceId, atMost }: Redelivery,
  now: Date,
): Promise<{ count: number; lastSequence: bigint | null } | null> {
  const [eventId, after] = 'eventId' in which ? [which.eventId, null] : [null, which.after.toString()];
  const values = [partnerId, environment, endpointId, eventId, after, sinceId, atMost, now];
  const [row] = await calls.call<{ redelivered: number; last_sequence: string | null }>(redeliverCall, values);
  if (row === undefined) return null;
  const { redelivered: count, last_sequence: last } = row;
  return { count, lastSequence: last === null ? null : BigInt(last) };
}

/** One event for one endpoint, as the log shows it. */
export interface Delivery {
  eventId: string;
  type: EventType;
  sequence: bigint;
  previousSequence: bigint | null;
  state: DeliveryState;
  attempts: number;
  createdAt: Date;
  /** When the next attempt is due; null where none is, or another delivery comes first. */
  dueAt: Date | null;
  endedAt: Date | null;
  last: { at: Date; latencyMs: number; status: number | null; failure: string | null } | null;
}

interface DeliveryRow {
  event_id: string;
  type: EventType;
  sequence: string;
  previous_sequence: string | null;
  state: DeliveryState;
  attempts: number;
  created_at: Date;
  due_at: Date | null;
  ended_at: Date | null;
  attempt_at: Date | null;
  latency_ms: number | null;
  status: number | null;
  failure: string | null;
}

function deliveryFrom(row: DeliveryRow): Delivery {
  const { attempt_at: at, latency_ms: latencyMs, status, failure } = row;
  return {
    eventId: row.event_id,
    type: row.type,
    sequence: BigInt(row.sequence),
    previousSequence: row.previous_sequence === null ? null : BigInt(row.previous_sequence),
    state: row.state,
    attempts: row.attempts,
    createdAt: row.created_at,
    dueAt: row.due_at,
    endedAt: row.ended_at,
    last: at === null || latencyMs === null ? null : { at, latencyMs, status, failure },
  };
}

const listCall: Call = {
  name: 'list_deliveries',
  text: 'select * from kelpie.list_deliveries($1, $2, $3, $4, $5, $6, $7, $8)',
};

interface DeliveryFilter {
  endpointId: string;
  /** Of one event alone, whatever its state. */
  eventId?: string;
  state: DeliveryState | null;
  beforeId: string;
  sinceId: string;
  limit: number;
}

/** The newest first. */
export async function listDeliveries(
  calls: SingleCalls,
  { partnerId, environment }: PartnerContext,
  { endpointId, eventId, state, beforeId, sinceId, limit }: DeliveryFilter,
): Promise<Delivery[]> {
  const values = [partnerId, environment, endpointId, eventId ?? null, state, beforeId, sinceId, limit];
  return (await calls.call<DeliveryRow>(listCall, values)).map(deliveryFrom);
}

/** With all that the partner's server answered. */
export interface ShownAttempt {
  number: number;
  at: Date;
  latencyMs: number;
  status: number | null;
  failure: string | null;
  headers: Record<string, string> | null;
  body: string | null;
}

interface AttemptRow {
  number: number;
  at: Date;
  latency_ms: number;
  status: number | null;
  failure: string | null;
  headers: Record<string, string> | null;
  body: string | null;
}

const attemptsCall: Call = {
  name: 'list_attempts',
  text: 'select * from kelpie.list_attempts($1, $2, $3, $4, $5)',
};

/** The newest first, a bounded number of them. */
export async function listAttempts(
  calls: SingleCalls,
  { partnerId, environment }: PartnerContext,
  { endpointId, eventId, limit }: { endpointId: string; eventId: string; limit: number },
): Promise<ShownAttempt[]> {
  const rows = await calls.call<AttemptRow>(attemptsCall, [partnerId, environment, endpointId, eventId, limit]);
  return rows.map((row) => ({
    number: row.number,
    at: row.at,
    latencyMs: row.latency_ms,
    status: row.status,
    failure: row.failure,
    headers: row.headers,
    body: row.body,
  }));
}
