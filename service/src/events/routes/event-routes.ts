import { Type } from 'typebox';
import type { Authentication } from '../../http/auth/authentication.ts';
import { keyedErrors } from '../../http/errors/responses.ts';
import { describedAs } from '../../http/schema/described-as.ts';
import { exampleValues } from '../../http/schema/example-values.ts';
import { environmentQuery, listOf, Query } from '../../http/schema/fields.ts';
import { cursorField, limitField } from '../../http/schema/list-query.ts';
import { nextLink, nextLinkHeader } from '../../http/schema/next-link.ts';
import { patterns } from '../../http/schema/patterns.ts';
import type { Server } from '../../http/server.ts';
import { ApiError } from '../../platform/api-error.ts';
import type { EventReader } from '../event-reader.ts';
import { addEventSchemas, WrittenEvent, type ShownKinds } from './event-schemas.ts';

interface EventRouteDeps extends Authentication {
  reader: EventReader;
  publicUrl: string;
  kinds: ShownKinds;
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
  const { EventSchema, EventList } = addEventSchemas(app, deps.kinds);
  const listSchema = {
    operationId: 'listEvents',
    summary: 'List events',
    description:
      'Returns what happened to your payouts, wallet and account, in order, for 90 days. Keep the last `sequence` that you have processed, and ask for what comes after it. Numbers have no gaps, so you have missed an event if one is absent.',
    tags: ['Events'],
    querystring: ListQuery,
    response: {
      200: { ...listOf(WrittenEvent), headers: { Link: nextLinkHeader }, [describedAs]: EventList.ref },
      ...keyedErrors('invalid_request'),
    },
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
    response: { 200: { ...WrittenEvent, [describedAs]: EventSchema.ref }, ...keyedErrors('not_found') },
  };
  const config = { action: 'event.get', access: 'readers' } as const;
  app.get('/v1/events/:id', { schema, config, onRequest: deps.requireCaller }, async (request) => {
    const event = await reader.find(deps.callerOf(request), request.params.id);
    if (event === null) throw new ApiError({ code: 'not_found', message: 'No event has this id.' });
    return event;
  });
}
