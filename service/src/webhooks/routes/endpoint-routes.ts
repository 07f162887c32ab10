import { Type, type Static } from 'typebox';
import type { Authentication } from '../../http/auth/authentication.ts';
import { bodyErrors, keyedErrors } from '../../http/errors/responses.ts';
import { exampleValues } from '../../http/schema/example-values.ts';
import { invalidRequest } from '../../http/schema/field-problems.ts';
import { listExample, listOf, nullableText, oneOf, Query, uuid } from '../../http/schema/fields.ts';
import { patterns } from '../../http/schema/patterns.ts';
import { addSchema, nameSchema } from '../../http/schema/schemas.ts';
import type { Server } from '../../http/server.ts';
import { eventTypes } from '../../events/index.ts';
import { inReadOnlyTransaction, type PartnerContext } from '../../platform/database/transaction.ts';
import { whyNotUrl } from '../../platform/egress/endpoint-url.ts';
import {
  changeEndpoint,
  createEndpoint,
  noSuchEndpoint,
  removeEndpoint,
  rollSecret,
  type EndpointDeps,
  type EndpointWithSecret,
} from '../change-endpoints.ts';
import { mayBePlain, mostEndpoints } from '../endpoint.ts';
import { findEndpoint, listEndpoints } from '../store.ts';
import {
  exampleRequest,
  exampleWebhook,
  typesText,
  urlText,
  webhookBody,
  WebhookSchema,
  WebhookWithSecret,
} from './endpoint-body.ts';

// The longest address that is accepted has 500 characters: longer ones are refused with a reason of their own.
const url = Type.String({ maxLength: 2_000, pattern: patterns.anyText, description: urlText });
const description = Type.Optional(
  nullableText({
    maxLength: 200,
    pattern: patterns.anyText,
    description: 'What the webhook is for, at most 200 characters.',
  }),
);
const types = Type.Optional(
  Type.Unsafe<(typeof eventTypes)[number][] | null>({
    type: ['array', 'null'],
    items: oneOf(eventTypes),
    minItems: 1,
    maxItems: eventTypes.length,
    uniqueItems: true,
    description: typesText,
  }),
);

const CreateWebhookRequest = nameSchema(
  'CreateWebhookRequest',
  Type.Object(
    { url, description, types },
    { additionalProperties: false, description: 'Where to send events, and which.' },
  ),
);
const UpdateWebhookRequest = nameSchema(
  'UpdateWebhookRequest',
  Type.Object(
    {
      url: Type.Optional(url),
      description,
      types,
      enabled: Type.Optional(
        Type.Boolean({
          description:
            '`false` stops sending and leaves out events from then on. `true` starts again; to get what was left out, redeliver.',
        }),
      ),
    },
    { additionalProperties: false, description: 'What to change. Omitted fields stay as they are.' },
  ),
);
const RollWebhookSecretRequest = nameSchema(
  'RollWebhookSecretRequest',
  Type.Object(
    {
      overlap_hours: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 72,
          default: 24,
          description: 'How long the current secret signs as well, in hours. 0 ends it at once.',
        }),
      ),
    },
    { additionalProperties: false, description: 'How to replace the secret.' },
  ),
);
const WebhookList = nameSchema('WebhookList', listOf(WebhookSchema.ref, { description: 'Webhooks, oldest first.' }));
const WebhookDeleted = nameSchema(
  'WebhookDeleted',
  Type.Object(
    { id: uuid('The id of the webhook.'), deleted: Type.Literal(true, { description: 'Always `true`.' }) },
    { description: 'The webhook is deleted.' },
  ),
);
export const WebhookPath = Type.Object({
  id: Type.String({
    pattern: patterns.uuid,
    description: 'The id of the webhook.',
    examples: [exampleValues.webhookId],
  }),
});

const tags = ['Webhooks'];

interface EndpointRouteDeps extends EndpointDeps, Authentication {
  /** Networks that may be reached besides public addresses; for development. */
  allowedNetworks: readonly string[];
}

export function addEndpointRoutes(app: Server, deps: EndpointRouteDeps): void {
  addSchema(app, WebhookSchema, exampleWebhook);
  addSchema(app, WebhookWithSecret, { ...exampleWebhook, secret: exampleValues.webhookSecret });
  addSchema(app, CreateWebhookRequest, exampleRequest);
  addSchema(app, UpdateWebhookRequest, { ...exampleRequest, enabled: false });
  addSchema(app, RollWebhookSecretRequest, { overlap_hours: 24 });
  addSchema(app, WebhookList, listExample(exampleWebhook));
  addSchema(app, WebhookDeleted, { id: exampleValues.webhookId, deleted: true });
  addReadRoutes(app, deps);
  addCreateRoute(app, deps);
  addUpdateRoute(app, deps);
  addDeleteRoute(app, deps);
  addRollRoute(app, deps);
}

function requireUsable({ allowedNetworks }: EndpointRouteDeps, of: PartnerContext, wanted: string): void {
  const rule = whyNotUrl(wanted, { mayBePlain: mayBePlain(of), allowed: allowedNetworks });
  if (rule !== null) throw invalidRequest([{ path: 'url', rule }]);
}

/** A blank description is none. */
function shownDescription(text: string | null | undefined): string | null {
  return text?.trim() ? text : null;
}

function secretBody({ endpoint, secret }: EndpointWithSecret, now: Date): Static<typeof WebhookWithSecret.definition> {
  return { ...webhookBody(endpoint, now), secret };
}

function addReadRoutes(app: Server, deps: EndpointRouteDeps): void {
  const { pool, clock } = deps;
  const listSchema = {
    operationId: 'listWebhooks',
    summary: 'List webhooks',
    description: `Returns the webhooks of the environment, at most ${mostEndpoints}.`,
    tags,
    querystring: Query,
    response: { 200: WebhookList.ref, ...keyedErrors() },
  };
  const listConfig = { action: 'webhook.list', access: 'readers' } as const;
  app.get(
    '/v1/webhooks',
    { schema: listSchema, config: listConfig, onRequest: deps.requireCaller },
    async (request) => {
      const caller = deps.callerOf(request);
      const endpoints = await inReadOnlyTransaction(pool, caller, async (tx) => listEndpoints(tx, caller));
      const now = clock.now();
      return { object: 'list' as const, data: endpoints.map((endpoint) => webhookBody(endpoint, now)) };
    },
  );
  const schema = {
    operationId: 'getWebhook',
    summary: 'Retrieve a webhook',
    description: 'Returns a webhook without its secret.',
    tags,
    params: WebhookPath,
    querystring: Query,
    response: { 200: WebhookSchema.ref, ...keyedErrors('not_found') },
  };
  const config = { action: 'webhook.get', access: 'readers' } as const;
  app.get('/v1/webhooks/:id', { schema, config, onRequest: deps.requireCaller }, async (request) => {
    const caller = deps.callerOf(request);
    const found = await inReadOnlyTransaction(pool, caller, async (tx) => findEndpoint(tx, caller, request.params.id));
    if (found === null) throw noSuchEndpoint();
    return webhookBody(found, clock.now());
  });
}

function addCreateRoute(app: Server, deps: EndpointRouteDeps): void {
  const schema = {
    operationId: 'createWebhook',
    summary: 'Create a webhook',
    description: `Sends events to a URL of yours from now on, and returns the secret that signs them, once. For a live webhook we email every admin. At most ${mostEndpoints} per environment. Not idempotent: a repeat creates another webhook.`,
    tags,
    querystring: Query,
    body: CreateWebhookRequest.ref,
    response: { 201: WebhookWithSecret.ref, ...bodyErrors('webhook_limit_reached', 'invalid_request') },
  };
  const config = { action: 'webhook.create', access: 'payers' } as const;
  app.post('/v1/webhooks', { schema, config, onRequest: deps.requireCaller }, async (request, reply) => {
    const caller = deps.callerOf(request);
    const { body } = request;
    requireUsable(deps, caller, body.url);
    const wanted = { url: body.url, description: shownDescription(body.description), types: body.types ?? null };
    const created = await createEndpoint(deps, caller, wanted);
    return reply.code(201).send(secretBody(created, deps.clock.now()));
  });
}

function addUpdateRoute(app: Server, deps: EndpointRouteDeps): void {
  const schema = {
    operationId: 'updateWebhook',
    summary: 'Update a webhook',
    description:
      'Changes what you send. When the URL of a live webhook changes, we email every admin. What is pending goes to the new URL. Safe to retry.',
    tags,
    params: WebhookPath,
    querystring: Query,
    body: UpdateWebhookRequest.ref,
    response: { 200: WebhookSchema.ref, ...bodyErrors('not_found', 'invalid_request') },
  };
  const config = { action: 'webhook.update', access: 'payers' } as const;
  app.patch('/v1/webhooks/:id', { schema, config, onRequest: deps.requireCaller }, async (request) => {
    const caller = deps.callerOf(request);
    const { description: text, ...wanted } = request.body;
    if (wanted.url !== undefined) requireUsable(deps, caller, wanted.url);
    const changes = { ...wanted, ...(text === undefined ? {} : { description: shownDescription(text) }) };
    const changed = await changeEndpoint(deps, caller, { ...changes, id: request.params.id });
    return webhookBody(changed, deps.clock.now());
  });
}

function addDeleteRoute(app: Server, deps: EndpointRouteDeps): void {
  const schema = {
    operationId: 'deleteWebhook',
    summary: 'Delete a webhook',
    description: 'Stops sending, also what is pending, and removes the webhook with its log.',
    tags,
    params: WebhookPath,
    querystring: Query,
    response: { 200: WebhookDeleted.ref, ...bodyErrors('not_found') },
  };
  const config = { action: 'webhook.delete', access: 'payers' } as const;
  app.delete('/v1/webhooks/:id', { schema, config, onRequest: deps.requireCaller }, async (request) => {
    const { id } = request.params;
    await removeEndpoint(deps, deps.callerOf(request), id);
    return { id: id.toLowerCase(), deleted: true as const };
  });
}

function addRollRoute(app: Server, deps: EndpointRouteDeps): void {
  const schema = {
    operationId: 'rollWebhookSecret',
    summary: 'Roll the secret of a webhook',
    description:
      'Replaces the secret and returns the new one once. Until `previous_secret_expires_at`, everything has two signatures, one by each secret. A secret that an earlier roll replaced stops at once. Not idempotent: a repeat creates another secret.',
    tags,
    params: WebhookPath,
    querystring: Query,
    body: RollWebhookSecretRequest.ref,
    response: { 201: WebhookWithSecret.ref, ...bodyErrors('not_found', 'invalid_request') },
  };
  const config = { action: 'webhook.roll', access: 'payers' } as const;
  app.post('/v1/webhooks/:id/roll', { schema, config, onRequest: deps.requireCaller }, async (request, reply) => {
    const { overlap_hours: overlapHours = 24 } = request.body;
    const rolled = await rollSecret(deps, deps.callerOf(request), { id: request.params.id, overlapHours });
    return reply.code(201).send(secretBody(rolled, deps.clock.now()));
  });
}
