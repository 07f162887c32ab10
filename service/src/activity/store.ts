import { arrayLiteral } from '../platform/database/array-literal.ts';
import type { Call, SingleCalls } from '../platform/database/single-call.ts';
import type { PartnerContext, Transaction } from '../platform/database/transaction.ts';
import { firstIdAt } from '../platform/ids.ts';
import type { Origin } from '../platform/origin.ts';

/** A request, and how it was answered. */
export interface ActivityRow {
  /** A UUIDv7: the instant in it is when the request came. */
  id: string;
  partnerId: string;
  /** The environment that was asked for; null where the request belongs to none. */
  environment: PartnerContext['environment'] | null;
  action: string;
  /** Null where nobody was there to be answered any more. */
  status: number | null;
  by: string;
  /** What it was about: an id, or the code of an error. */
  detail: string | null;
}

/** Requests of one partner that were answered within a moment, the newest last. */
export type ActivityPage = readonly [ActivityRow, ...ActivityRow[]];

const recordCall: Call = { name: 'record_activity', text: 'select from kelpie.record_activity($1, $2, $3, $4)' };

function entriesOf(page: ActivityPage): string {
  return JSON.stringify(page.map((row) => [row.id, row.environment, row.action, row.status, row.by, row.detail]));
}

/** Safe to repeat. */
export async function insertPages(calls: SingleCalls, pages: readonly ActivityPage[]): Promise<void> {
  await calls.call(recordCall, [
    arrayLiteral(pages.map((page) => page.at(-1)?.id)),
    arrayLiteral(pages.map(([{ partnerId }]) => partnerId)),
    arrayLiteral(pages.map(({ length }) => length)),
    arrayLiteral(pages.map(entriesOf)),
  ]);
}

export interface ListedRow {
  id: string;
  environment: PartnerContext['environment'] | null;
  action: string;
  status: number | null;
  by: string;
  detail: string | null;
}

/** In the transaction of what it is about: there is one then, or neither. */
export async function recordActivity(tx: Transaction, row: ActivityRow): Promise<void> {
  await tx.query(
    `insert into kelpie.activity (id, partner_id, environment, action, status, by, detail) values ($1, $2, $3, $4, $5, $6, $7)`,
    [row.id, row.partnerId, row.environment, row.action, row.status, row.by, row.detail],
  );
}

const listCall: Call = { name: 'list_activity', text: 'select * from kelpie.list_activity($1, $2, $3)' };

/** The newest first. */
export async function listActivity(calls: SingleCalls, of: PartnerContext, limit: number): Promise<ListedRow[]> {
  return calls.call<ListedRow>(listCall, [of.partnerId, of.environment, limit]);
}

/** Who did something to an account's access, by which request, and from where. */
export interface SecurityActor {
  partnerId: string;
  by: string;
  requestId: string;
  origin: Origin;
}

export interface SecurityEvent {
  action: string;
  status: number;
  /** Null where it is about the whole account. */
  environment: PartnerContext['environment'] | null;
  /** What it was about: an id, an email address or the code of an error. */
  detail: string | null;
}

/** In the transaction of the act, which is of the same partner: there is one then, or neither. */
export async function recordSecurityEvent(
  tx: Transaction,
  { partnerId, by, requestId, origin: { network, browser } }: SecurityActor,
  { action, status, environment, detail }: SecurityEvent,
): Promise<void> {
  await tx.query(
    `insert into kelpie.security_events (id, partner_id, environment, action, status, by, detail, network, browser)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [requestId, partnerId, environment, action, status, by, detail, network, browser],
  );
}

/** Of one action since then, up to the most that the caller wants to know of. In a transaction of the same partner. */
export async function countSecurityEvents(
  tx: Transaction,
  { partnerId, action, since, most }: { partnerId: string; action: string; since: Date; most: number },
): Promise<number> {
  const { rows } = await tx.query<{ count: number }>(
    `select count(*)::int as count from (
       select from kelpie.security_events where partner_id = $1 and id >= $2 and action = $3 limit $4
     ) found`,
    [partnerId, firstIdAt(since), action, most],
  );
  return rows[0]?.count ?? 0;
}

const recordEventCall: Call = {
  name: 'record_security_event',
  text: 'select from kelpie.record_security_event($1, $2, $3, $4, $5, $6, $7, $8)',
  writes: true,
};

/** In a transaction of its own, about the whole account. Safe to repeat. */
export async function insertSecurityEvent(
  calls: SingleCalls,
  { partnerId, by, requestId, origin: { network, browser } }: SecurityActor,
  { action, status, detail }: Omit<SecurityEvent, 'environment'>,
): Promise<void> {
  await calls.call(recordEventCall, [requestId, partnerId, action, status, by, detail, network, browser]);
}

export interface ListedEvent extends ListedRow, Origin {
  status: number;
}

const listEventsCall: Call = {
  name: 'list_security_events',
  text: 'select * from kelpie.list_security_events($1, $2, $3, $4, $5)',
};

/** The newest first: those of one action, or all. */
export async function listSecurityEvents(
  calls: SingleCalls,
  of: PartnerContext,
  { action, before, limit }: { action: string | null; before: string; limit: number },
): Promise<ListedEvent[]> {
  return calls.call<ListedEvent>(listEventsCall, [of.partnerId, of.environment, action, before, limit]);
}
