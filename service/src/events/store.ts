import type { Call, SingleCalls } from '../platform/database/single-call.ts';
import type { PartnerContext } from '../platform/database/transaction.ts';
import type { EventType, NumberedEvent } from './event.ts';

interface EventRow {
  id: string;
  sequence: string;
  type: EventType;
  subject_id: string;
  version: number;
  at: Date;
  snapshot: object | null;
}

function eventFrom({ id, sequence, type, subject_id: subjectId, version, at, snapshot }: EventRow): NumberedEvent {
  return { id, sequence: BigInt(sequence), type, subject: { id: subjectId, version }, at, snapshot };
}

const numberCall: Call = {
  name: 'number_events',
  text: 'select kelpie.number_events($1, $2) as taken',
  writes: true,
};

/** Says how many it numbered. Null where another process is at it. */
export async function numberEvents(calls: SingleCalls, now: Date, mostAtOnce: number): Promise<number | null> {
  const [row] = await calls.call<{ taken: number | null }>(numberCall, [now, mostAtOnce]);
  return row?.taken ?? null;
}

const listCall: Call = {
  name: 'list_numbered_events',
  text: 'select * from kelpie.list_numbered_events($1, $2, $3, $4, $5)',
};

/** In order, from the one after that number on. */
export async function listEvents(
  calls: SingleCalls,
  { partnerId, environment }: PartnerContext,
  { after, sinceId, limit }: { after: bigint; sinceId: string; limit: number },
): Promise<NumberedEvent[]> {
  const values = [partnerId, environment, after.toString(), sinceId, limit];
  return (await calls.call<EventRow>(listCall, values)).map(eventFrom);
}

const findCall: Call = {
  name: 'find_numbered_event',
  text: 'select * from kelpie.find_numbered_event($1, $2, $3, $4)',
};

export async function findEvent(
  calls: SingleCalls,
  { partnerId, environment }: PartnerContext,
  { id, sinceId }: { id: string; sinceId: string },
): Promise<NumberedEvent | null> {
  const [row] = await calls.call<EventRow>(findCall, [partnerId, environment, id, sinceId]);
  return row === undefined ? null : eventFrom(row);
}

const lastSequencesCall: Call = {
  name: 'last_event_sequences',
  text: 'select * from kelpie.last_event_sequences($1, $2)',
};

/** How far the events of each are numbered. */
export async function findLastSequences(calls: SingleCalls, feeds: readonly PartnerContext[]): Promise<bigint[]> {
  const rows = await calls.call<{ place: string; last_sequence: string }>(lastSequencesCall, [
    feeds.map(({ partnerId }) => partnerId),
    feeds.map(({ environment }) => environment),
  ]);
  const lastAt = new Map(rows.map((row) => [Number(row.place), BigInt(row.last_sequence)]));
  return feeds.map((_, at) => lastAt.get(at + 1) ?? 0n);
}

/** An event of one of several feeds. */
interface FeedEvent {
  /** Its place among the feeds that were asked about. */
  place: number;
  sequence: bigint;
  subjectId: string;
}

const newEventsCall: Call = { name: 'list_new_events', text: 'select * from kelpie.list_new_events($1, $2, $3, $4)' };

/** After a number each, in order. */
export async function listNewEvents(
  calls: SingleCalls,
  feeds: readonly { of: PartnerContext; after: bigint }[],
  limit: number,
): Promise<FeedEvent[]> {
  const rows = await calls.call<{ place: string; sequence: string; subject_id: string }>(newEventsCall, [
    feeds.map(({ of }) => of.partnerId),
    feeds.map(({ of }) => of.environment),
    feeds.map(({ after }) => after.toString()),
    limit,
  ]);
  return rows.map(({ place, sequence, subject_id: subjectId }) => ({
    place: Number(place) - 1,
    sequence: BigInt(sequence),
    subjectId,
  }));
}
