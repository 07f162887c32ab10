import { Type, type Static } from 'typebox';
import type { Authentication } from '../../http/auth/authentication.ts';
import { exampleValues } from '../../http/schema/example-values.ts';
import { listExample, listOf, nullableInstant, Query } from '../../http/schema/fields.ts';
import { keyedErrors } from '../../http/errors/responses.ts';
import { addSchema, nameSchema } from '../../http/schema/schemas.ts';
import type { Server } from '../../http/server.ts';
import type { Clock } from '../../platform/clock.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import { listApiKeys, type ListedKey } from '../store.ts';
import { hideLiveKey } from './hidden-key.ts';
import { exampleKey, keyBody, KeyFields } from './key-body.ts';

const ApiKey = nameSchema(
  'ApiKey',
  Type.Object(
    {
      ...KeyFields.properties,
      last_used_at: nullableInstant({ description: 'When the key was last used, to the minute. Null if never.' }),
      revoked_at: nullableInstant({ description: 'When the key was revoked. Null while it is active.' }),
    },
    { description: 'An API key. Its secret is never returned again.' },
  ),
);
const example = { ...exampleKey, last_used_at: exampleValues.createdAt, revoked_at: null };
/** A key as events show it. */
export const shownKey = { schema: ApiKey.ref, example: { ...example, last_used_at: null } };
const ApiKeyList = nameSchema('ApiKeyList', listOf(ApiKey.ref, { description: 'API keys, newest first.' }));

/** How long a key that was revoked or has expired is still listed. */
const listEndedForMs = 365 * 24 * 3_600_000;
const mostListed = 200;

function previousOf({ previous_prefix: prefix, previous_expires_at: expiresAt }: ListedKey) {
  return prefix === null || expiresAt === null ? null : { prefix, expiresAt };
}

function listedBody(key: ListedKey, now: Date): Static<typeof ApiKey.definition> {
  const { id, environment, label, scope } = key;
  const shown = {
    id,
    environment,
    prefix: key.key_prefix,
    label,
    scope,
    networks: key.networks ?? [],
    expiresAt: key.expires_at,
    dailyLimit: key.daily_limit_pence === null ? null : BigInt(key.daily_limit_pence),
    fullLimitAt: key.full_limit_at,
    previous: previousOf(key),
    createdAt: key.created_at,
  };
  return {
    ...keyBody(shown, now),
    last_used_at: key.last_used_at?.toISOString() ?? null,
    revoked_at: key.revoked_at?.toISOString() ?? null,
  };
}

interface KeyDeps extends Authentication {
  calls: SingleCalls;
  clock: Clock;
}

export function addKeyRoutes(app: Server, { calls, clock, requireCaller, callerOf }: KeyDeps): void {
  addSchema(app, ApiKey, example);
  addSchema(app, ApiKeyList, listExample(example));
  const schema = {
    operationId: 'listKeys',
    summary: 'List API keys',
    description:
      'Returns the keys of both environments: active ones, and those revoked or expired within the last 12 months. A sandbox key sees live keys without their label, networks and the digits of their prefix.',
    tags: ['Account'],
    querystring: Query,
    response: { 200: ApiKeyList.ref, ...keyedErrors() },
  };
  app.get(
    '/v1/keys',
    { schema, config: { action: 'key.list', access: 'readers', ofBothEnvironments: true }, onRequest: requireCaller },
    async (request) => {
      const now = clock.now();
      const endedAfter = new Date(now.getTime() - listEndedForMs);
      const caller = callerOf(request);
      const keys = await listApiKeys(calls, caller, { endedAfter, limit: mostListed });
      return { object: 'list' as const, data: keys.map((key) => hideLiveKey(caller, listedBody(key, now))) };
    },
  );
}
