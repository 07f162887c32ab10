import { Type, type TUnsafe } from 'typebox';
import type { Authentication } from '../../http/auth/authentication.ts';
import { keyedErrors } from '../../http/errors/responses.ts';
import { exampleValues } from '../../http/schema/example-values.ts';
import {
  dateTime,
  Environment,
  environmentQuery,
  listExample,
  listOf,
  oneOf,
  Query,
  uuid,
} from '../../http/schema/fields.ts';
import { cursorField, limitField } from '../../http/schema/list-query.ts';
import { nextLink, nextLinkHeader } from '../../http/schema/next-link.ts';
import { patterns } from '../../http/schema/patterns.ts';
import { addSchema, nameSchema } from '../../http/schema/schemas.ts';
import type { Server } from '../../http/server.ts';
import { ApiError } from '../../platform/api-error.ts';
import { eventTypes } from '../event.ts';
import { eventBody, type EventReader } from '../event-reader.ts';

/** What the reference shows of a kind of resource. */
interface ShownKind {
  schema: TUnsafe<object>;
  example: object;
}

interface EventRouteDeps extends Authentication {
  reader: EventReader;
  publicUrl: string;
  payouts: ShownKind;
}

function eventSchema(payout: TUnsafe<object>) {
  return Type.Object(
    {
      id: uuid('The id of the event.'),
      object: Type.Literal('event', { description: 'Always `event`.' }),
      environment: Environment,
      sequence: Type.Integer({
        minimum: 1,
        description: 'Counts the events of your account in this environment, from 1, without gaps.',
      }),
      type: oneOf(eventTypes, { description: 'What happened.' }),
      version: Type.Integer({
        minimum: 1,
        description: 'Rises with each change of the resource. Of two events, the one with the higher version is newer.',
      }),
      created_at: dateTime('When it happened.'),
      data: payout,
    },
    { description: 'A change of a resource, with the resource as it was then.' },
  );
}

const ListQuery = Type.Object(
  {
    ...environmentQuery,
    after: Type.Optional(
      Type.String({
        pattern: patterns.sequence,
        description: 'Events after this `sequence`. Omit it to start with the oldest.',
        'x-described-as': { type: 'integer', minimum: 0, default: 0, examples: [41] },
      }),
    ),
    limit: limitField(),
    cursor: cursorField(patterns.movementNumber, '42'),
  },
  // A filter that is misspelt would show what was not asked for.
  { additionalProperties: false },
);

const EventPath = Type.Object({
  id: Type.String({ pattern: patterns.uuid, description: 'The id of the event.', examples: [exampleValues.eventId] }),
});

export function addEventRoutes(app: Server, deps: EventRouteDeps): void {
  const { reader } = deps;
  const EventSchema = nameSchema('Event', eventSchema(deps.payouts.schema));
  const example = eventBody(
    { partnerId: exampleValues.partnerId, environment: 'sandbox' },
    {
      id: exampleValues.eventId,
      sequence: 42n,
      type: 'payout.processing',
      subject: { id: exampleValues.payoutId, version: 2 },
      at: new Date(exampleValues.createdAt),
    },
    deps.payouts.example,
  );
  addSchema(app, EventSchema, example);
  const EventList = nameSchema('EventList', listOf(EventSchema.ref, { description: 'Events, in order.' }));
  addSchema(app, EventList, listExample(example));
  const listSchema = {
    operationId: 'listEvents',
    summary: 'List events',
    description:
      'Returns what happened to your payouts, in order, for 90 days. Keep the last `sequence` that you have processed, and ask for what comes after it. Numbers have no gaps, so you have missed an event if one is absent.',
    tags: ['Events'],
    querystring: ListQuery,
    response: { 200: { ...EventList.ref, headers: { Link: nextLinkHeader } }, ...keyedErrors('invalid_request') },
  };
  const listConfig = { action: 'event.list', access: 'readers' } as const;
  app.get(
    '/v1/events',
    { schema: listSchema, config: listConfig, onRequest: deps.requireCaller },
    async (request, reply) => {
      const { query } = request;
      const caller = deps.callerOf(request);
      const { events, cursor } = await reader.list(caller, {
        after: BigInt(query.cursor ?? query.after ?? '0'),
        limit: Number(query.limit ?? 50),
      });
      if (cursor !== null) reply.header('link', nextLink(`${deps.publicUrl}/v1/events`, { query, caller, cursor }));
      return { object: 'list' as const, data: events };
    },
  );
  const schema = {
    operationId: 'getEvent',
    summary: 'Retrieve an event',
    description: 'Returns an event of the last 90 days.',
    tags: ['Events'],
    params: EventPath,
    querystring: Query,
    response: { 200: EventSchema.ref, ...keyedErrors('not_found') },
  };
  const config = { action: 'event.get', access: 'readers' } as const;
  app.get('/v1/events/:id', { schema, config, onRequest: deps.requireCaller }, async (request) => {
    const event = await reader.find(deps.callerOf(request), request.params.id);
    if (event === null) throw new ApiError({ code: 'not_found', message: 'No event has this id.' });
    return event;
  });
}
