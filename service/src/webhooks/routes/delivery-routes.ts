import { Type, type Static } from 'typebox';
import type { Authentication } from '../../http/auth/authentication.ts';
import { bodyErrors, keyedErrors } from '../../http/errors/responses.ts';
import { exampleValues } from '../../http/schema/example-values.ts';
import {
  dateTime,
  environmentQuery,
  listExample,
  listOf,
  nullableInstant,
  nullableObject,
  nullableText,
  oneOf,
  Query,
  uuid,
} from '../../http/schema/fields.ts';
import { cursorField, limitField } from '../../http/schema/list-query.ts';
import { nextLink, nextLinkHeader } from '../../http/schema/next-link.ts';
import { patterns } from '../../http/schema/patterns.ts';
import { addSchema, nameSchema } from '../../http/schema/schemas.ts';
import type { Server } from '../../http/server.ts';
import { eventTypes } from '../../events/index.ts';
import type { EgressResult } from '../../platform/egress/exchange.ts';
import { deliveryStates } from '../endpoint.ts';
import type { Delivery, ShownAttempt } from '../delivery-store.ts';
import { readDeliveries, readDelivery, redeliver, type LogDeps } from '../read-deliveries.ts';
import { testEndpoint, type TestDeps } from '../test-endpoint.ts';
import { WebhookPath } from './endpoint-routes.ts';

const nullableNumber = (description: string) => Type.Unsafe<number | null>({ type: ['integer', 'null'], description });

const failureText =
  'Why there was no answer: `address_refused`, `not_found` (DNS), `connection_refused`, `connection_lost`, `tls`, `timeout`, `invalid_url`, `too_large_headers` or `proxy`. Null if there was one.';

const outcomeFields = {
  latency_ms: Type.Integer({ minimum: 0, description: 'How long it took, in milliseconds.' }),
  status_code: nullableNumber('The HTTP status of the answer. Null if there was none. 200 to 299 is success.'),
  failure: nullableText({ description: failureText }),
};
const LastAttempt = Type.Object({ at: dateTime('When it began.'), ...outcomeFields });
const answerFields = {
  headers: Type.Unsafe<Record<string, string> | null>({
    type: ['object', 'null'],
    additionalProperties: { type: 'string' },
    description: 'The headers of the answer.',
  }),
  body: nullableText({ description: 'The first 2 KB of the answer.' }),
};

const deliveryFields = {
  object: Type.Literal('delivery', { description: 'Always `delivery`.' }),
  event_id: uuid('The id of the event, and the `webhook-id` of the request.'),
  webhook_id: uuid('The id of the webhook.'),
  type: oneOf(eventTypes, { description: 'The type of the event.' }),
  sequence: Type.Integer({ minimum: 1, description: 'The number of the event.' }),
  previous_sequence: nullableNumber('The number of the event before it at this webhook. Null for the first.'),
  status: oneOf(deliveryStates, {
    description:
      '`pending`: not accepted yet. `delivered`: answered with 200 to 299. `failed`: not accepted for 3 days; it can be redelivered.',
  }),
  attempts: Type.Integer({ minimum: 0, description: 'How often it was tried.' }),
  next_attempt_at: nullableInstant({
    description: 'When it is tried next. Null if it has ended, or waits for an earlier event of the same resource.',
  }),
  last_attempt: nullableObject(LastAttempt, { description: 'The newest attempt of the last 30 days.' }),
  created_at: dateTime('When the event was handed to the webhook.'),
};

const DeliverySchema = nameSchema(
  'Delivery',
  Type.Object(deliveryFields, { description: 'An event on its way to a webhook.' }),
);
const DeliveryList = nameSchema(
  'DeliveryList',
  listOf(DeliverySchema.ref, { description: 'Deliveries, newest first.' }),
);
const DeliveryWithAttempts = nameSchema(
  'DeliveryWithAttempts',
  Type.Object(
    {
      ...deliveryFields,
      attempt_log: Type.Array(
        Type.Object({
          number: Type.Integer({ minimum: 1, description: 'Counts the attempts.' }),
          at: dateTime('When it began.'),
          ...outcomeFields,
          ...answerFields,
        }),
        { description: 'The attempts of the last 30 days, newest first, at most 50.' },
      ),
    },
    { description: 'A delivery with what each attempt was answered.' },
  ),
);
const RedeliverRequest = nameSchema(
  'RedeliverRequest',
  Type.Object(
    {
      after: Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'Events after this `sequence` are sent again. 0 for all of the last 90 days.',
      }),
    },
    { additionalProperties: false, description: 'What to send again.' },
  ),
);
const Redelivered = nameSchema(
  'Redelivered',
  Type.Object(
    {
      object: Type.Literal('redelivery', { description: 'Always `redelivery`.' }),
      count: Type.Integer({ minimum: 0, description: 'How many events are sent again.' }),
      last_sequence: nullableNumber('The number of the last of them. Null if there is none.'),
      has_more: Type.Boolean({
        description: 'Whether there were more than 5,000. Repeat with `after` set to `last_sequence`.',
      }),
    },
    { description: 'What is sent again.' },
  ),
);
const WebhookTest = nameSchema(
  'WebhookTest',
  Type.Object(
    {
      object: Type.Literal('webhook_test', { description: 'Always `webhook_test`.' }),
      is_accepted: Type.Boolean({ description: 'Whether the answer was 200 to 299.' }),
      ...outcomeFields,
      ...answerFields,
    },
    { description: 'What the URL answered to a test event.' },
  ),
);

const ListQuery = Type.Object(
  {
    ...environmentQuery,
    status: Type.Optional(
      oneOf(deliveryStates, { description: 'Only deliveries of this status.', examples: ['failed'] }),
    ),
    limit: limitField(),
    cursor: cursorField(patterns.uuid, exampleValues.eventId),
  },
  { additionalProperties: false },
);
const DeliveryPath = Type.Object({
  ...WebhookPath.properties,
  event_id: Type.String({
    pattern: patterns.uuid,
    description: 'The id of the event.',
    examples: [exampleValues.eventId],
  }),
});

function deliveryBody(webhookId: string, delivery: Delivery): Static<typeof DeliverySchema.definition> {
  const { last } = delivery;
  return {
    object: 'delivery',
    event_id: delivery.eventId,
    webhook_id: webhookId,
    type: delivery.type,
    sequence: Number(delivery.sequence),
    previous_sequence: delivery.previousSequence === null ? null : Number(delivery.previousSequence),
    status: delivery.state,
    attempts: delivery.attempts,
    next_attempt_at: delivery.dueAt?.toISOString() ?? null,
    last_attempt: last === null ? null : { at: last.at.toISOString(), ...outcomeBody(last) },
    created_at: delivery.createdAt.toISOString(),
  };
}

function outcomeBody({ latencyMs, status, failure }: Pick<ShownAttempt, 'latencyMs' | 'status' | 'failure'>) {
  return { latency_ms: latencyMs, status_code: status, failure };
}

function attemptBody({ number, at, headers, body, ...outcome }: ShownAttempt) {
  return { number, at: at.toISOString(), ...outcomeBody(outcome), headers, body };
}

function testBody(result: EgressResult): Static<typeof WebhookTest.definition> {
  const latencyMs = Math.round(result.latencyMs);
  if (result.kind === 'failed') {
    const outcome = outcomeBody({ latencyMs, status: null, failure: result.reason });
    return { object: 'webhook_test', is_accepted: false, ...outcome, headers: null, body: null };
  }
  const { status, headers, body } = result;
  const outcome = outcomeBody({ latencyMs, status, failure: null });
  return { object: 'webhook_test', is_accepted: status >= 200 && status <= 299, ...outcome, headers, body };
}

const exampleDelivery: Static<typeof DeliverySchema.definition> = {
  object: 'delivery',
  event_id: exampleValues.eventId,
  webhook_id: exampleValues.webhookId,
  type: 'payout.completed',
  sequence: 42,
  previous_sequence: 39,
  status: 'delivered',
  attempts: 1,
  next_attempt_at: null,
  last_attempt: { at: exampleValues.updatedAt, latency_ms: 84, status_code: 204, failure: null },
  created_at: exampleValues.updatedAt,
};
const exampleOutcome = { latency_ms: 84, status_code: 204, failure: null, headers: {}, body: '' };

interface DeliveryRouteDeps extends LogDeps, TestDeps, Authentication {
  publicUrl: string;
}

const tags = ['Webhooks'];

export function addDeliveryRoutes(app: Server, deps: DeliveryRouteDeps): void {
  addSchema(app, DeliverySchema, exampleDelivery);
  addSchema(app, DeliveryList, listExample(exampleDelivery));
  const attempt = { number: 1, at: exampleValues.updatedAt, ...exampleOutcome };
  addSchema(app, DeliveryWithAttempts, { ...exampleDelivery, attempt_log: [attempt] });
  addSchema(app, RedeliverRequest, { after: 41 });
  addSchema(app, Redelivered, { object: 'redelivery', count: 12, last_sequence: 53, has_more: false });
  addSchema(app, WebhookTest, { object: 'webhook_test', is_accepted: true, ...exampleOutcome });
  addLogRoutes(app, deps);
  addRedeliveryRoutes(app, deps);
  addTestRoute(app, deps);
}

function addLogRoutes(app: Server, deps: DeliveryRouteDeps): void {
  const listSchema = {
    operationId: 'listDeliveries',
    summary: 'List deliveries of a webhook',
    description: 'Returns what was sent to a webhook in the last 30 days, newest first.',
    tags,
    params: WebhookPath,
    querystring: ListQuery,
    response: {
      200: { ...DeliveryList.ref, headers: { Link: nextLinkHeader } },
      ...keyedErrors('not_found', 'invalid_request'),
    },
  };
  const listConfig = { action: 'webhook.deliveries', access: 'readers' } as const;
  app.get(
    '/v1/webhooks/:id/deliveries',
    { schema: listSchema, config: listConfig, onRequest: deps.requireCaller },
    async (request, reply) => {
      const { query } = request;
      const caller = deps.callerOf(request);
      const id = request.params.id.toLowerCase();
      const filter = { state: query.status ?? null, cursor: query.cursor ?? null, limit: Number(query.limit ?? 50) };
      const { deliveries, cursor } = await readDeliveries(deps, caller, { endpointId: id, ...filter });
      const address = `${deps.publicUrl}/v1/webhooks/${id}/deliveries`;
      if (cursor !== null) reply.header('link', nextLink(address, { query, caller, cursor }));
      return { object: 'list' as const, data: deliveries.map((delivery) => deliveryBody(id, delivery)) };
    },
  );
  const schema = {
    operationId: 'getDelivery',
    summary: 'Retrieve a delivery',
    description: 'Returns a delivery of the last 30 days, with what each attempt was answered.',
    tags,
    params: DeliveryPath,
    querystring: Query,
    response: { 200: DeliveryWithAttempts.ref, ...keyedErrors('not_found') },
  };
  const config = { action: 'webhook.delivery', access: 'readers' } as const;
  app.get(
    '/v1/webhooks/:id/deliveries/:event_id',
    { schema, config, onRequest: deps.requireCaller },
    async (request) => {
      const { id, event_id: eventId } = request.params;
      const { delivery, attempts } = await readDelivery(deps, deps.callerOf(request), { endpointId: id, eventId });
      return { ...deliveryBody(id.toLowerCase(), delivery), attempt_log: attempts.map(attemptBody) };
    },
  );
}

function addRedeliveryRoutes(app: Server, deps: DeliveryRouteDeps): void {
  const oneSchema = {
    operationId: 'redeliverEvent',
    summary: 'Redeliver an event',
    description:
      'Sends an event again, also one that was delivered or has failed. One that waits for its next attempt is tried now. Safe to retry.',
    tags,
    params: DeliveryPath,
    querystring: Query,
    response: { 202: Redelivered.ref, ...bodyErrors('not_found') },
  };
  const config = { action: 'webhook.redeliver', access: 'payers' } as const;
  app.post(
    '/v1/webhooks/:id/deliveries/:event_id/redeliver',
    { schema: oneSchema, config, onRequest: deps.requireCaller },
    async (request, reply) => {
      const { id, event_id: eventId } = request.params;
      const body = await redeliver(deps, deps.callerOf(request), { endpointId: id, which: { eventId } });
      return reply.code(202).send(redeliveredBody(body));
    },
  );
  const allSchema = {
    operationId: 'redeliverEvents',
    summary: 'Redeliver everything since an event',
    description:
      'Sends all events that the webhook wants after a `sequence`, in order for each resource, including those from while it was disabled. At most 5,000 at once. Safe to retry.',
    tags,
    params: WebhookPath,
    querystring: Query,
    body: RedeliverRequest.ref,
    response: { 202: Redelivered.ref, ...bodyErrors('not_found', 'invalid_request') },
  };
  app.post(
    '/v1/webhooks/:id/redeliver',
    { schema: allSchema, config, onRequest: deps.requireCaller },
    async (request, reply) => {
      const which = { after: BigInt(request.body.after) };
      const body = await redeliver(deps, deps.callerOf(request), { endpointId: request.params.id, which });
      return reply.code(202).send(redeliveredBody(body));
    },
  );
}

function redeliveredBody({
  count,
  lastSequence,
  hasMore,
}: Awaited<ReturnType<typeof redeliver>>): Static<typeof Redelivered.definition> {
  const last = lastSequence === null ? null : Number(lastSequence);
  return { object: 'redelivery', count, last_sequence: last, has_more: hasMore };
}

function addTestRoute(app: Server, deps: DeliveryRouteDeps): void {
  const schema = {
    operationId: 'testWebhook',
    summary: 'Test a webhook',
    description:
      'Sends an event of the type `webhook.test`, signed like any other, and returns what the URL answered within 7 seconds. It has no `sequence`, and is not in the log.',
    tags,
    params: WebhookPath,
    querystring: Query,
    response: { 200: WebhookTest.ref, ...bodyErrors('not_found') },
  };
  const config = { action: 'webhook.test', access: 'payers' } as const;
  app.post('/v1/webhooks/:id/test', { schema, config, onRequest: deps.requireCaller }, async (request) =>
    testBody(await testEndpoint(deps, deps.callerOf(request), request.params.id)),
  );
}
