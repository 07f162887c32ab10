import { Type, type Static } from 'typebox';
import type { ActivityLog } from '../../http/activity-log.ts';
import type { Authentication } from '../../http/auth/authentication.ts';
import { originOf } from '../../http/auth/origin.ts';
import { bodyErrors } from '../../http/errors/responses.ts';
import { ConfirmCode } from '../../http/schema/confirm-code.ts';
import { nullableText, Query } from '../../http/schema/fields.ts';
import { patterns } from '../../http/schema/patterns.ts';
import { addSchema, nameSchema } from '../../http/schema/schemas.ts';
import type { Server } from '../../http/server.ts';
import { parsePounds, type Pence } from '../../money/amounts.ts';
import type { Pool } from '../../platform/database/pool.ts';
import type { LimitChanges } from '../spending/store.ts';
import { updateLimits, type UpdateLimitsDeps } from '../spending/update-limits.ts';
import { Limits, readLimitsBody } from './limit-routes.ts';

const newLimit = (description: string) =>
  Type.Optional(nullableText({ pattern: patterns.money, maxLength: 15, description }));

const UpdateLimitsRequest = nameSchema(
  'UpdateLimitsRequest',
  Type.Object(
    {
      daily_limit_gbp: newLimit(
        'The daily limit of the account, in pounds, from 20000.00. Null removes it in sandbox.',
      ),
      new_payee_limit_gbp: newLimit(
        'The daily limit for an account that you have not paid before, in pounds, from 20000.00. Null removes it in sandbox.',
      ),
      confirm_code: ConfirmCode,
    },
    { additionalProperties: false, description: 'The limits to change. Omitted ones stay as they are.' },
  ),
);

function penceFrom(text: string | null): Pence | null {
  // Too many digits are too much, and refused as that.
  return text === null ? null : (parsePounds(text) ?? 0n);
}

/** From a body that its schema has let through. */
function changesFrom(body: Static<typeof UpdateLimitsRequest.definition>): LimitChanges {
  const { daily_limit_gbp: daily, new_payee_limit_gbp: newPayee } = body;
  return {
    ...(daily === undefined ? {} : { daily: penceFrom(daily) }),
    ...(newPayee === undefined ? {} : { newPayee: penceFrom(newPayee) }),
  };
}

interface LimitChangeDeps extends Authentication, UpdateLimitsDeps {
  pool: Pool;
  activity: ActivityLog;
}

export function addLimitChangeRoutes(app: Server, deps: LimitChangeDeps): void {
  addSchema(app, UpdateLimitsRequest, { daily_limit_gbp: '30000.00', new_payee_limit_gbp: '20000.00' });
  const schema = {
    operationId: 'updateLimits',
    summary: 'Update limits',
    description:
      'Changes the limits that you send, for payouts from now on. Confirmed with an emailed code. We email every admin. An admin can lower a limit to 20000.00 and raise it to `highest_daily_limit_gbp`. Safe to retry.',
    tags: ['Dashboard settings'],
    querystring: Query,
    body: UpdateLimitsRequest.ref,
    response: {
      200: Limits.ref,
      ...bodyErrors('verification_required', 'confirmation_required', 'invalid_confirm_code', 'invalid_request'),
    },
  };
  const config = { action: 'limits.update', access: 'admins' } as const;
  app.patch('/v1/limits', { schema, config, onRequest: deps.requireCaller }, async (request) => {
    const { partnerId, environment, by, callerId: sessionId } = deps.callerOf(request);
    const admin = { partnerId, environment, by, sessionId, requestId: request.id, origin: originOf(request) };
    await updateLimits(deps, admin, { changes: changesFrom(request.body), code: request.body.confirm_code });
    deps.activity.isRecorded(request);
    return readLimitsBody(deps, admin);
  });
}
