import { Type, type Static } from 'typebox';
import type { Authentication } from '../../http/auth/authentication.ts';
import { exampleValues } from '../../http/schema/example-values.ts';
import {
  dateTime,
  Environment,
  listExample,
  listOf,
  nullableInstant,
  nullableText,
  Query,
  uuid,
} from '../../http/schema/fields.ts';
import { keyedErrors } from '../../http/errors/responses.ts';
import { addSchema, nameSchema } from '../../http/schema/schemas.ts';
import type { Server } from '../../http/server.ts';
import type { Clock } from '../../platform/clock.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import { instantOf } from '../../platform/ids.ts';
import { listApiKeys, type ListedKey } from '../store.ts';

export const KeyPrefix = Type.String({ description: 'The start of the key, to tell keys apart.' });

const ApiKey = nameSchema(
  'ApiKey',
  Type.Object(
    {
      id: uuid('The id of the key.'),
      environment: Environment,
      key_prefix: KeyPrefix,
      label: nullableText({ description: 'What the key is for.' }),
      created_at: dateTime('When the key was created.'),
      last_used_at: nullableInstant({ description: 'When the key was last used, to the minute. Null if never.' }),
      revoked_at: nullableInstant({ description: 'When the key was revoked. Null while it is active.' }),
    },
    { description: 'An API key. Its secret is never returned again.' },
  ),
);
const ApiKeyList = nameSchema('ApiKeyList', listOf(ApiKey.ref, { description: 'API keys, newest first.' }));

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
  const example: Static<typeof ApiKey.definition> = {
    id: exampleValues.keyId,
    environment: 'sandbox',
    key_prefix: exampleValues.keyPrefix,
    label: 'Order system',
    created_at: instantOf(exampleValues.keyId).toISOString(),
    last_used_at: exampleValues.createdAt,
    revoked_at: null,
  };
  addSchema(app, ApiKey, example);
  addSchema(app, ApiKeyList, listExample(example));
  const schema = {
    operationId: 'listKeys',
    summary: 'List API keys',
    description: 'Returns the keys of both environments: active ones, and those revoked within the last 12 months.',
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
