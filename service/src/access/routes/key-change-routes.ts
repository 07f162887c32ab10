import { Type } from 'typebox';
import type { ActivityLog } from '../../http/activity-log.ts';
import type { Authentication } from '../../http/auth/authentication.ts';
import { exampleValues } from '../../http/schema/example-values.ts';
import { dateTime, Environment, nullableText, Query, uuid } from '../../http/schema/fields.ts';
import { patterns } from '../../http/schema/patterns.ts';
import { bodyErrors } from '../../http/errors/responses.ts';
import { addSchema, nameSchema } from '../../http/schema/schemas.ts';
import type { Server } from '../../http/server.ts';
import { ApiError } from '../../platform/api-error.ts';
import { instantOf } from '../../platform/ids.ts';
import type { KeyChangeDeps } from '../keys/key-deps.ts';
import { makeKey } from '../keys/make-key.ts';
import { revokeKey } from '../keys/revoke-key.ts';
import { KeyPrefix } from './key-routes.ts';
import { adminOf } from './people.ts';

const CreateKeyRequest = nameSchema(
  'CreateKeyRequest',
  Type.Object(
    {
      environment: Environment,
      label: Type.Optional(
        Type.String({
          maxLength: 60,
          pattern: patterns.anyText,
          description: 'What the key is for, at most 60 characters.',
        }),
      ),
    },
    { additionalProperties: false, description: 'The key to create.' },
  ),
);

const ApiKeyCreated = nameSchema(
  'ApiKeyCreated',
  Type.Object(
    {
      id: uuid('The id of the key.'),
      environment: Environment,
      key_prefix: KeyPrefix,
      label: nullableText({ description: 'What the key is for.' }),
      created_at: dateTime('When the key was created.'),
      secret: Type.String({
        pattern: patterns.secret,
        description: 'The whole key. It is returned once and never again.',
      }),
      note: Type.String({ description: 'A reminder to store the secret.' }),
    },
    { description: 'The new API key, with its secret.' },
  ),
);
const ApiKeyRevoked = nameSchema(
  'ApiKeyRevoked',
  Type.Object(
    { id: uuid('The id of the key.'), revoked: Type.Literal(true, { description: 'Always `true`.' }) },
    { description: 'The key is revoked.' },
  ),
);
const KeyPath = Type.Object({
  id: Type.String({ pattern: patterns.uuid, description: 'The id of the key.', examples: [exampleValues.keyId] }),
});

const note = 'Store this secret now. It is not shown again.';

export interface KeyChangeRouteDeps extends KeyChangeDeps, Authentication {
  activity: ActivityLog;
}

export function addKeyChangeRoutes(app: Server, deps: KeyChangeRouteDeps): void {
  const key = { environment: 'sandbox', label: 'Order system' } as const;
  addSchema(app, CreateKeyRequest, key);
  addSchema(app, ApiKeyCreated, {
    id: exampleValues.keyId,
    key_prefix: exampleValues.keyPrefix,
    ...key,
    created_at: instantOf(exampleValues.keyId).toISOString(),
    secret: exampleValues.keyPrefix.padEnd('kp_sandbox_'.length + 48, '0123456789abcdef'),
    note,
  });
  addSchema(app, ApiKeyRevoked, { id: exampleValues.keyId, revoked: true });
  addCreateRoute(app, deps);
  addRevokeRoute(app, deps);
}

function addCreateRoute(app: Server, deps: KeyChangeRouteDeps): void {
  const schema = {
    operationId: 'createKey',
    summary: 'Create an API key',
    description:
      'Creates a key and returns its secret once. We email every admin. Limits: 5 active keys per environment; live keys need a verified business. Not idempotent: a repeat creates another key.',
    tags: ['Dashboard settings'],
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
    description:
      'Revokes the key permanently. It can no longer create payouts, and its reads stop within a second. Safe to retry.',
    tags: ['Dashboard settings'],
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
