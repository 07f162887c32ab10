import { Type, type Static } from 'typebox';
import type { ActivityLog } from '../../http/activity-log.ts';
import type { Authentication } from '../../http/auth/authentication.ts';
import { ConfirmCode, ConfirmRequest } from '../../http/schema/confirm-code.ts';
import { exampleValues } from '../../http/schema/example-values.ts';
import { Query, uuid } from '../../http/schema/fields.ts';
import { patterns } from '../../http/schema/patterns.ts';
import { bodyErrors } from '../../http/errors/responses.ts';
import { addSchema, nameSchema } from '../../http/schema/schemas.ts';
import type { Server } from '../../http/server.ts';
import { ApiError } from '../../platform/api-error.ts';
import type { KeyChangeDeps } from '../keys/key-deps.ts';
import { liftKeyLimit } from '../keys/lift-key-limit.ts';
import { makeKey, type KeyWithSecret } from '../keys/make-key.ts';
import { revokeKey } from '../keys/revoke-key.ts';
import { rollKey } from '../keys/roll-key.ts';
import { exampleKey, exampleRequest, keyBody, KeyFields } from './key-body.ts';
import { authorityFrom, CreateKeyRequest } from './key-request.ts';
import { adminOf } from './people.ts';

const ApiKeyCreated = nameSchema(
  'ApiKeyCreated',
  Type.Object(
    {
      ...KeyFields.properties,
      secret: Type.String({
        pattern: patterns.secret,
        description: 'The whole key. It is returned once and never again.',
      }),
      note: Type.String({ description: 'A reminder to store the secret.' }),
    },
    { description: 'An API key with its new secret.' },
  ),
);
const RollKeyRequest = nameSchema(
  'RollKeyRequest',
  Type.Object(
    {
      overlap_hours: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 72,
          default: 24,
          description: 'How long the current secret still works, in hours. 0 ends it at once.',
        }),
      ),
      confirm_code: ConfirmCode,
    },
    { additionalProperties: false, description: 'How to replace the secret.' },
  ),
);
const ApiKeyRevoked = nameSchema(
  'ApiKeyRevoked',
  Type.Object(
    { id: uuid('The id of the key.'), revoked: Type.Literal(true, { description: 'Always `true`.' }) },
    { description: 'The key is revoked.' },
  ),
);
const ApiKeyLimitLifted = nameSchema(
  'ApiKeyLimitLifted',
  Type.Object(
    { id: uuid('The id of the key.'), limit_lifted: Type.Literal(true, { description: 'Always `true`.' }) },
    { description: 'The key can pay up to its full limit.' },
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
  addSchema(app, CreateKeyRequest, exampleRequest);
  addSchema(app, RollKeyRequest, { overlap_hours: 24 });
  addSchema(app, ApiKeyCreated, {
    ...exampleKey,
    secret: exampleValues.keyPrefix.padEnd('kp_sandbox_'.length + 48, '0123456789abcdef'),
    note,
  });
  addSchema(app, ApiKeyLimitLifted, { id: exampleValues.keyId, limit_lifted: true });
  addSchema(app, ApiKeyRevoked, { id: exampleValues.keyId, revoked: true });
  addCreateRoute(app, deps);
  addRollRoute(app, deps);
  addLiftRoute(app, deps);
  addRevokeRoute(app, deps);
}

function secretBody(key: KeyWithSecret, now: Date): Static<typeof ApiKeyCreated.definition> {
  return { ...keyBody(key, now), secret: key.secret, note };
}

function addCreateRoute(app: Server, deps: KeyChangeRouteDeps): void {
  const schema = {
    operationId: 'createKey',
    summary: 'Create an API key',
    description:
      'Creates a key and returns its secret once. A live key is confirmed with an emailed code. We email every admin. What the key can do cannot be changed later. Limits: 5 active keys per environment; live keys need a verified business. Not idempotent: a repeat creates another key.',
    tags: ['Dashboard settings'],
    querystring: Query,
    body: CreateKeyRequest.ref,
    response: {
      201: ApiKeyCreated.ref,
      ...bodyErrors(
        'verification_required',
        'key_limit_reached',
        'partner_not_active',
        'confirmation_required',
        'invalid_confirm_code',
        'invalid_request',
      ),
    },
  };
  const config = { action: 'key.create', access: 'admins', ofBothEnvironments: true } as const;
  app.post('/v1/keys', { schema, config, onRequest: deps.requireCaller }, async (request, reply) => {
    const { environment } = request.body;
    deps.activity.isIn(request, environment);
    const now = deps.clock.now();
    // A blank label is none.
    const label = request.body.label?.trim() ? request.body.label : null;
    const code = request.body.confirm_code;
    const wanted = { environment, label, code, ...authorityFrom(request.body, now) };
    const key = await makeKey(deps, adminOf(request, deps), wanted);
    deps.activity.isRecorded(request);
    return reply.code(201).send(secretBody(key, now));
  });
}

function addRollRoute(app: Server, deps: KeyChangeRouteDeps): void {
  const schema = {
    operationId: 'rollKey',
    summary: 'Roll an API key',
    description:
      'Replaces the secret and returns the new one once. The key keeps its id and what it can do. The current secret works until `previous_expires_at`; one that an earlier roll replaced stops at once. The roll of a live key is confirmed with an emailed code. We email every admin. Not idempotent: a repeat creates another secret.',
    tags: ['Dashboard settings'],
    params: KeyPath,
    querystring: Query,
    body: RollKeyRequest.ref,
    response: {
      201: ApiKeyCreated.ref,
      ...bodyErrors(
        'not_found',
        'partner_not_active',
        'confirmation_required',
        'invalid_confirm_code',
        'invalid_request',
      ),
    },
  };
  const config = { action: 'key.roll', access: 'admins', ofBothEnvironments: true } as const;
  app.post('/v1/keys/:id/roll', { schema, config, onRequest: deps.requireCaller }, async (request, reply) => {
    const { overlap_hours: overlapHours = 24, confirm_code: code } = request.body;
    const keyId = request.params.id.toLowerCase();
    const key = await rollKey(deps, adminOf(request, deps), { keyId, overlapHours, code });
    deps.activity.isIn(request, key.environment);
    deps.activity.isRecorded(request);
    return reply.code(201).send(secretBody(key, deps.clock.now()));
  });
}

function addLiftRoute(app: Server, deps: KeyChangeRouteDeps): void {
  const schema = {
    operationId: 'liftKeyLimit',
    summary: 'Lift the reduced limit of a new key',
    description:
      'Lets a new live key pay up to its full limit before its first 24 hours are over. Another admin than the one who created the key does it, confirmed with an emailed code. We email every admin.',
    tags: ['Dashboard settings'],
    params: KeyPath,
    querystring: Query,
    body: ConfirmRequest.ref,
    response: {
      200: ApiKeyLimitLifted.ref,
      ...bodyErrors(
        'not_found',
        'second_admin_required',
        'confirmation_required',
        'invalid_confirm_code',
        'invalid_request',
      ),
    },
  };
  const config = {
    action: 'key.lift_limit',
    access: 'admins',
    ofBothEnvironments: true,
    bodyIsOptional: true,
  } as const;
  app.post('/v1/keys/:id/lift-limit', { schema, config, onRequest: deps.requireCaller }, async (request) => {
    const keyId = request.params.id.toLowerCase();
    const { environment } = await liftKeyLimit(deps, adminOf(request, deps), {
      keyId,
      code: request.body.confirm_code,
    });
    deps.activity.isIn(request, environment);
    deps.activity.isRecorded(request);
    return { id: keyId, limit_lifted: true as const };
  });
}

function addRevokeRoute(app: Server, deps: KeyChangeRouteDeps): void {
  const schema = {
    operationId: 'revokeKey',
    summary: 'Revoke an API key',
    description:
      'Revokes the key permanently, with both secrets if it was rolled. It can no longer create payouts, and its reads stop within a second. Safe to retry.',
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
