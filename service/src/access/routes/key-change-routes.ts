import { Type } from 'typebox';
import type { ActivityLog } from '../../http/activity-log.ts';
import type { Authentication } from '../../http/auth/authentication.ts';
import { Environment, Id, Instant, nullableText, Query } from '../../http/schema/fields.ts';
import { patterns } from '../../http/schema/patterns.ts';
import { bodyErrors } from '../../http/errors/responses.ts';
import { nameSchema } from '../../http/schema/schemas.ts';
import type { Server } from '../../http/server.ts';
import { ApiError } from '../../platform/api-error.ts';
import type { KeyChangeDeps } from '../keys/key-deps.ts';
import { makeKey } from '../keys/make-key.ts';
import { revokeKey } from '../keys/revoke-key.ts';
import { adminOf } from './people.ts';

const CreateKeyRequest = nameSchema(
  'CreateKeyRequest',
  Type.Object(
    {
      environment: Environment,
      label: Type.Optional(Type.String({ maxLength: 60, pattern: patterns.anyText })),
    },
    { additionalProperties: false },
  ),
);

const ApiKeyCreated = nameSchema(
  'ApiKeyCreated',
  Type.Object(
    {
      id: Id,
      environment: Environment,
      key_prefix: Type.String({ description: 'The start of the key: how you know it again.' }),
      label: nullableText(),
      created_at: Instant,
      secret: Type.String({
        pattern: patterns.secret,
        description: 'The whole key. It is shown here and never again.',
      }),
      note: Type.String(),
    },
    { description: 'A new API key, with its secret.' },
  ),
);
const ApiKeyRevoked = nameSchema('ApiKeyRevoked', Type.Object({ id: Id, revoked: Type.Literal(true) }));
const KeyPath = Type.Object({ id: Type.String({ pattern: patterns.uuid }) });

const note = 'Store this secret now. It is not shown again.';

export interface KeyChangeRouteDeps extends KeyChangeDeps, Authentication {
  activity: ActivityLog;
}

export function addKeyChangeRoutes(app: Server, deps: KeyChangeRouteDeps): void {
  for (const { definition } of [CreateKeyRequest, ApiKeyCreated, ApiKeyRevoked]) app.addSchema(definition);
  addCreateRoute(app, deps);
  addRevokeRoute(app, deps);
}

function addCreateRoute(app: Server, deps: KeyChangeRouteDeps): void {
  const schema = {
    operationId: 'createKey',
    summary: 'Make an API key',
    description:
      'At most 5 in each environment; a live one once the business is verified. Every admin is told by mail.',
    tags: ['Account'],
    querystring: Query,
    body: CreateKeyRequest.ref,
    response: {
      201: ApiKeyCreated.ref,
      ...bodyErrors('verification_required', 'key_limit_reached', 'invalid_request'),
    },
  };
  const config = { action: 'key.create', access: 'admins', ofBothEnvironments: true } as const;
  app.post('/v1/keys', { schema, config, onRequest: deps.requireCaller }, async (request, reply) => {
    const { environment } = request.body;
    // A blank label is none.
    const label = request.body.label?.trim() ? request.body.label : null;
    deps.activity.isIn(request, environment);
    const { id, prefix, secret, createdAt } = await makeKey(deps, adminOf(request, deps), { environment, label });
    deps.activity.isRecorded(request);
    const created_at = createdAt.toISOString();
    // Nothing on the way may keep the secret.
    reply.code(201).header('cache-control', 'no-store');
    return reply.send({ id, environment, key_prefix: prefix, label, created_at, secret, note });
  });
}

function addRevokeRoute(app: Server, deps: KeyChangeRouteDeps): void {
  const schema = {
    operationId: 'revokeKey',
    summary: 'Revoke an API key',
    description: 'It pays nothing from now on, and reads for less than a second more. Safe to repeat.',
    tags: ['Account'],
    params: KeyPath,
    querystring: Query,
    response: { 200: ApiKeyRevoked.ref, ...bodyErrors('not_found') },
  };
  const config = { action: 'key.revoke', access: 'admins', ofBothEnvironments: true } as const;
  app.delete('/v1/keys/:id', { schema, config, onRequest: deps.requireCaller }, async (request) => {
    const { id } = request.params;
    const revocation = await revokeKey(deps, adminOf(request, deps), id);
    if (revocation.kind === 'not_found') throw new ApiError({ code: 'not_found', message: 'No API key has this id.' });
    deps.activity.isIn(request, revocation.environment);
    if (revocation.kind === 'revoked') deps.activity.isRecorded(request);
    return { id: id.toLowerCase(), revoked: true as const };
  });
}
