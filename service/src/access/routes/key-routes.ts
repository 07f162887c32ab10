import { Type, type Static } from 'typebox';
import type { Authentication } from '../../http/auth/authentication.ts';
import { Environment, Id, Instant, listOf, nullableInstant, nullableText, Query } from '../../http/schema/fields.ts';
import { keyedErrors } from '../../http/errors/responses.ts';
import { nameSchema } from '../../http/schema/schemas.ts';
import type { Server } from '../../http/server.ts';
import type { Clock } from '../../platform/clock.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import { listApiKeys, type ListedKey } from '../store.ts';

const ApiKey = nameSchema(
  'ApiKey',
  Type.Object(
    {
      id: Id,
      environment: Environment,
      key_prefix: Type.String({ description: 'The start of the key: how you know it again.' }),
      label: nullableText(),
      created_at: Instant,
      last_used_at: nullableInstant({ description: 'To the minute.' }),
      revoked_at: nullableInstant({ description: 'Null while the key works.' }),
    },
    { description: 'An API key, without its secret.' },
  ),
);
const ApiKeyList = nameSchema('ApiKeyList', listOf(ApiKey.ref, { description: 'Newest first.' }));

/** How long a key that was revoked is still listed. */
const listRevokedForMs = 365 * 24 * 3_600_000;
const mostListed = 200;

function keyBody(key: ListedKey): Static<typeof ApiKey.definition> {
  return {
    id: key.id,
    environment: key.environment,
    key_prefix: key.key_prefix,
    label: key.label,
    created_at: key.created_at.toISOString(),
    last_used_at: key.last_used_at?.toISOString() ?? null,
    revoked_at: key.revoked_at?.toISOString() ?? null,
  };
}

interface KeyDeps extends Authentication {
  calls: SingleCalls;
  clock: Clock;
}

export function addKeyRoutes(app: Server, { calls, clock, requireCaller, callerOf }: KeyDeps): void {
  for (const { definition } of [ApiKey, ApiKeyList]) app.addSchema(definition);
  const schema = {
    operationId: 'listKeys',
    summary: 'Your API keys',
    description: 'Of both environments: those that work, and those that were revoked within 12 months.',
    tags: ['Account'],
    querystring: Query,
    response: { 200: ApiKeyList.ref, ...keyedErrors() },
  };
  app.get(
    '/v1/keys',
    { schema, config: { action: 'key.list', access: 'readers', ofBothEnvironments: true }, onRequest: requireCaller },
    async (request) => {
      const revokedAfter = new Date(clock.now().getTime() - listRevokedForMs);
      const keys = await listApiKeys(calls, callerOf(request), { revokedAfter, limit: mostListed });
      return { object: 'list' as const, data: keys.map(keyBody) };
    },
  );
}
