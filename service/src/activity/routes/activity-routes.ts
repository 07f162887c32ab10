import { Type, type Static } from 'typebox';
import type { Authentication } from '../../http/auth/authentication.ts';
import { Instant, listOf, nullableText, Query } from '../../http/schema/fields.ts';
import { keyedErrors } from '../../http/errors/responses.ts';
import { nameSchema } from '../../http/schema/schemas.ts';
import type { Server } from '../../http/server.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import { instantOf } from '../../platform/ids.ts';
import { mostShown, type ActivityRecorder } from '../recorder.ts';
import { listActivity, type ListedRow } from '../store.ts';

const ActivityEntry = nameSchema(
  'ActivityEntry',
  Type.Object(
    {
      at: Instant,
      environment: nullableText(),
      action: Type.String({ description: 'As `payout.create`: what was asked for.', examples: ['payout.create'] }),
      status: Type.Unsafe<number | null>({
        type: ['integer', 'null'],
        description: 'The status of the answer; null where nobody was there to be answered any more.',
      }),
      by: Type.String({ description: 'Who asked: the start of an API key, or an email address.' }),
      detail: nullableText({ description: 'The id of what it was about, or the code of an error.' }),
      request_id: nullableText({ description: 'The `Request-Id` of the answer.' }),
    },
    { description: 'One request, and how it was answered.' },
  ),
);
const ActivityList = nameSchema('ActivityList', listOf(ActivityEntry.ref, { description: 'Newest first.' }));

function entryBody({
  id,
  environment,
  action,
  status,
  by,
  detail,
}: ListedRow): Static<typeof ActivityEntry.definition> {
  const requestId = status === null ? null : id;
  return { at: instantOf(id).toISOString(), environment, action, status, by, detail, request_id: requestId };
}

interface ActivityDeps extends Authentication {
  calls: SingleCalls;
  recorder: ActivityRecorder;
}

export function addActivityRoutes(app: Server, deps: ActivityDeps): void {
  for (const { definition } of [ActivityEntry, ActivityList]) app.addSchema(definition);
  const schema = {
    operationId: 'listActivity',
    summary: 'The latest 200 requests',
    description: 'Of both environments, reads and failures included. A read appears here within a second.',
    tags: ['Account'],
    querystring: Query,
    response: { 200: ActivityList.ref, ...keyedErrors() },
  };
  const config = { action: 'activity.list', access: 'readers', ofBothEnvironments: true } as const;
  app.get('/v1/activity', { schema, config, onRequest: deps.requireCaller }, async (request) => {
    // So that whoever looks finds what it asked for just before, as far as this process knows.
    await deps.recorder.flush();
    const rows = await listActivity(deps.calls, deps.callerOf(request), mostShown);
    return { object: 'list' as const, data: rows.map(entryBody) };
  });
}
