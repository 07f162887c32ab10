import { Type, type Static } from 'typebox';
import type { Authentication } from '../../http/auth/authentication.ts';
import { exampleValues } from '../../http/schema/example-values.ts';
import { dateTime, environmentQuery, listExample, listOf, nullableText, uuid } from '../../http/schema/fields.ts';
import { cursorField, limitField } from '../../http/schema/list-query.ts';
import { nextLink, nextLinkHeader } from '../../http/schema/next-link.ts';
import { patterns } from '../../http/schema/patterns.ts';
import { keyedErrors } from '../../http/errors/responses.ts';
import { addSchema, nameSchema } from '../../http/schema/schemas.ts';
import type { Server } from '../../http/server.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import { instantOf, lastId } from '../../platform/ids.ts';
import { isMasked, maskedFor } from '../masking.ts';
import { listSecurityEvents, type ListedEvent } from '../store.ts';

const masked = 'A sandbox key sees `hidden` unless the event was about `sandbox`.';

const SecurityEventSchema = nameSchema(
  'SecurityEvent',
  Type.Object(
    {
      object: Type.Literal('security_event', { description: 'Always `security_event`.' }),
      id: uuid('The id of the event. It is the `Request-Id` of the request.'),
      created_at: dateTime('When it happened.'),
      environment: nullableText({
        description: 'The environment that it was about: `sandbox` or `live`. Null if it was about the whole account.',
      }),
      action: Type.String({ description: 'What was done, as `resource.verb`. We may add actions.' }),
      status: Type.Integer({ description: 'The HTTP status of the response.' }),
      by: Type.String({
        description: `Who did it: an email address, the prefix of an API key, or \`Kelpie support\`. ${masked}`,
      }),
      detail: nullableText({
        description: `What it was about: an id, an email address or the code of an error. ${masked}`,
      }),
      network: nullableText({
        description:
          'The network of the request: /24 in IPv4, /64 in IPv6. Null if unknown, and for a sandbox key where `by` is hidden.',
      }),
      browser: nullableText({
        description:
          'The browser and its operating system. Null if unknown, and for a sandbox key where `by` is hidden.',
      }),
    },
    { description: "A change of the account's access, a sign-in or a refused sign-in." },
  ),
);
const SecurityEventList = nameSchema(
  'SecurityEventList',
  listOf(SecurityEventSchema.ref, { description: 'Security events, newest first.' }),
);

type Caller = Parameters<typeof isMasked>[0];

function eventBody(caller: Caller, event: ListedEvent): Static<typeof SecurityEventSchema.definition> {
  const { id, environment, action, status, by, detail } = maskedFor(caller, event);
  const { network, browser } = isMasked(caller, event) ? { network: null, browser: null } : event;
  const created_at = instantOf(id).toISOString();
  return { object: 'security_event', id, created_at, environment, action, status, by, detail, network, browser };
}

const example: Static<typeof SecurityEventSchema.definition> = {
  object: 'security_event',
  id: exampleValues.requestId,
  created_at: instantOf(exampleValues.requestId).toISOString(),
  environment: 'sandbox',
  action: 'key.create',
  status: 201,
  by: exampleValues.adminEmail,
  detail: exampleValues.keyId,
  network: '203.0.113.0/24',
  browser: 'Firefox on Windows',
};

const EventQuery = Type.Object(
  {
    ...environmentQuery,
    action: Type.Optional(
      Type.String({ pattern: patterns.action, description: 'Only this action.', examples: ['key.create'] }),
    ),
    limit: limitField(),
    cursor: cursorField(patterns.uuid, exampleValues.requestId),
  },
  { additionalProperties: false },
);

interface SecurityEventDeps extends Authentication {
  calls: SingleCalls;
  publicUrl: string;
}

export function addSecurityEventRoutes(app: Server, deps: SecurityEventDeps): void {
  addSchema(app, SecurityEventSchema, example);
  addSchema(app, SecurityEventList, listExample(example));
  const schema = {
    operationId: 'listSecurityEvents',
    summary: 'List security events',
    description:
      'Returns what was done to the access of the account, in both environments: API keys, members, limits, email addresses, sign-ins and sessions. Unlike in `GET /v1/activity`, other requests never displace an event.',
    tags: ['Account'],
    querystring: EventQuery,
    response: {
      200: { ...SecurityEventList.ref, headers: { Link: nextLinkHeader } },
      ...keyedErrors('invalid_request'),
    },
  };
  const config = { action: 'security_event.list', access: 'readers', ofBothEnvironments: true } as const;
  app.get('/v1/security-events', { schema, config, onRequest: deps.requireCaller }, async (request, reply) => {
    const { query } = request;
    const caller = deps.callerOf(request);
    const limit = Number(query.limit ?? 50);
    const found = await listSecurityEvents(deps.calls, caller, {
      action: query.action ?? null,
      before: query.cursor ?? lastId,
      // One more than is asked for: it tells whether there is a next page.
      limit: limit + 1,
    });
    const events = found.slice(0, limit);
    const cursor = found.length > limit ? events.at(-1)?.id : undefined;
    const address = `${deps.publicUrl}/v1/security-events`;
    if (cursor !== undefined) reply.header('link', nextLink(address, { query, caller: null, cursor }));
    return { object: 'list' as const, data: events.map((event) => eventBody(caller, event)) };
  });
}
