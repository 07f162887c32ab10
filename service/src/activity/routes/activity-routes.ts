import { Type, type Static } from 'typebox';
import type { Authentication } from '../../http/auth/authentication.ts';
import { exampleValues } from '../../http/schema/example-values.ts';
import { dateTime, listExample, listOf, nullableText, Query } from '../../http/schema/fields.ts';
import { keyedErrors } from '../../http/errors/responses.ts';
import { addSchema, nameSchema } from '../../http/schema/schemas.ts';
import type { Server } from '../../http/server.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import { instantOf } from '../../platform/ids.ts';
import { isMasked, maskedFor } from '../masking.ts';
import { mostShown, type ActivityRecorder } from '../recorder.ts';
import { listActivity, type ListedRow } from '../store.ts';

const ActivityEntry = nameSchema(
  'ActivityEntry',
  Type.Object(
    {
      at: dateTime('When the request arrived.'),
      environment: nullableText({
        description: 'The environment that the request was about: `sandbox` or `live`. Null if neither.',
      }),
      action: Type.String({ description: 'What was requested, as `resource.verb`. We may add actions.' }),
      status: Type.Unsafe<number | null>({
        type: ['integer', 'null'],
        description: 'The HTTP status of the response. Null if the caller disconnected before it.',
      }),
      by: Type.String({
        description:
          'Who made the request: the prefix of an API key, or an email address. A sandbox key sees `hidden` unless the request was about `sandbox`.',
      }),
      detail: nullableText({
        description:
          'The id of the resource, or the code of the error. A sandbox key sees `hidden` unless the request was about `sandbox`.',
      }),
      request_id: nullableText({
        description:
          'The `Request-Id` of the response. Null if the caller disconnected before it, and for a sandbox key unless the request was about `sandbox`.',
      }),
    },
    { description: 'A request and its outcome.' },
  ),
);
const ActivityList = nameSchema('ActivityList', listOf(ActivityEntry.ref, { description: 'Requests, newest first.' }));

type Caller = Parameters<typeof isMasked>[0];

/** The id of a request that created a payout is the payout's: who may not see the one does not see the other. */
function entryBody(caller: Caller, row: ListedRow): Static<typeof ActivityEntry.definition> {
  const { id, environment, action, status, by, detail } = maskedFor(caller, row);
  const requestId = status === null || isMasked(caller, row) ? null : id;
  return { at: instantOf(id).toISOString(), environment, action, status, by, detail, request_id: requestId };
}

interface ActivityDeps extends Authentication {
  calls: SingleCalls;
  recorder: ActivityRecorder;
}

export function addActivityRoutes(app: Server, deps: ActivityDeps): void {
  const example: Static<typeof ActivityEntry.definition> = {
    at: instantOf(exampleValues.requestId).toISOString(),
    environment: 'sandbox',
    action: 'payout.create',
    status: 201,
    by: exampleValues.keyPrefix,
    detail: exampleValues.payoutId,
    request_id: exampleValues.requestId,
  };
  addSchema(app, ActivityEntry, example);
  addSchema(app, ActivityList, listExample(example));
  const schema = {
    operationId: 'listActivity',
    summary: 'List activity',
    description:
      'Returns the audit log: the latest 200 requests to the account, in both environments, by API keys and dashboard users. Reads and refused requests are included. A read appears within a second. Changes of access are also in `GET /v1/security-events`, where no request displaces them.',
    tags: ['Account'],
    querystring: Query,
    response: { 200: ActivityList.ref, ...keyedErrors() },
  };
  const config = { action: 'activity.list', access: 'readers', ofBothEnvironments: true } as const;
  app.get('/v1/activity', { schema, config, onRequest: deps.requireCaller }, async (request) => {
    // So that whoever looks finds what it asked for just before, as far as this process knows.
    await deps.recorder.flush();
    const caller = deps.callerOf(request);
    const rows = await listActivity(deps.calls, caller, mostShown);
    return { object: 'list' as const, data: rows.map((row) => entryBody(caller, row)) };
  });
}
