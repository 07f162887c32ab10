import { Type, type Static } from 'typebox';
import type { ActivityRecorder } from '../../activity/index.ts';
import type { Authentication } from '../../http/auth/authentication.ts';
import { listOf, nullableInstant, oneOf } from '../../http/schema/fields.ts';
import { patterns } from '../../http/schema/patterns.ts';
import type { LimitHook } from '../../http/limits/rate-limit.ts';
import { bodyErrors, keyedErrors } from '../../http/errors/responses.ts';
import { nameSchema } from '../../http/schema/schemas.ts';
import type { Server } from '../../http/server.ts';
import { sessionCookie, sessionTokenOf } from '../../http/auth/session-cookie.ts';
import { newId } from '../../platform/ids.ts';
import { ApiError } from '../../platform/api-error.ts';
import { switchAccount, type SwitchAccountDeps } from '../signing-in/switch-account.ts';
import { listAccounts, type OwnAccount } from '../signing-in/store.ts';
import { findSessionBody, SessionSchema } from './session-body.ts';

const OwnAccountSchema = nameSchema(
  'OwnAccount',
  Type.Object(
    {
      slug: Type.String(),
      name: Type.String(),
      role: oneOf(['admin', 'viewer']),
      last_login_at: nullableInstant(),
      is_current: Type.Boolean({ description: 'Whether it is the one that this session is for.' }),
    },
    { description: 'An account that you are a member of.' },
  ),
);
const OwnAccountList = nameSchema('OwnAccountList', listOf(OwnAccountSchema.ref));

const EnterAccountRequest = nameSchema(
  'EnterAccountRequest',
  Type.Object({ slug: Type.String({ pattern: patterns.slug }) }, { additionalProperties: false }),
);

function ownAccountBody({ last_login_at: at, ...account }: OwnAccount): Static<typeof OwnAccountSchema.definition> {
  return { ...account, last_login_at: at?.toISOString() ?? null };
}

interface OwnAccountDeps extends SwitchAccountDeps, Authentication {
  recorder: ActivityRecorder;
  limitAccountChanges: LimitHook;
  supportEmail: string;
}

/** For a person with several accounts: which these are, and how to go from one to another. */
export function addOwnAccountRoutes(app: Server, deps: OwnAccountDeps): void {
  for (const { definition } of [OwnAccountSchema, OwnAccountList, EnterAccountRequest]) app.addSchema(definition);
  addListRoute(app, deps);
  addSwitchRoute(app, deps);
}

function addListRoute(app: Server, { calls, requireCaller, callerOf }: OwnAccountDeps): void {
  const schema = {
    operationId: 'listOwnAccounts',
    summary: 'The accounts that you are a member of',
    description: 'The one that the session is for comes first, then by name.',
    tags: ['Signing in'],
    response: { 200: OwnAccountList.ref, ...keyedErrors() },
  };
  const config = { access: 'people' as const, ofBothEnvironments: true };
  app.get('/v1/auth/accounts', { schema, config, onRequest: requireCaller }, async (request) => ({
    object: 'list' as const,
    data: (await listAccounts(calls, callerOf(request).callerId)).map(ownAccountBody),
  }));
}

function addSwitchRoute(app: Server, deps: OwnAccountDeps): void {
  const { calls, recorder, requireCaller, callerOf, supportEmail } = deps;
  const schema = {
    operationId: 'switchAccount',
    summary: 'Go to another account of yours',
    description:
      'Sets the cookie of a session of that account, which ends when this one would have. This one ends now. At most 60 times an hour.',
    tags: ['Signing in'],
    body: EnterAccountRequest.ref,
    response: { 200: SessionSchema.ref, ...bodyErrors('invalid_request', 'not_found') },
  };
  // The account that is left is told that somebody left, and not where to: that is no business of its.
  const config = {
    action: 'login.end',
    refusedAction: 'account.enter',
    access: 'people' as const,
    ofBothEnvironments: true,
  };
  const onRequest = [requireCaller, deps.limitAccountChanges];
  app.patch('/v1/auth/session', { schema, config, onRequest }, async (request, reply) => {
    const { slug } = request.body;
    const { by } = callerOf(request);
    const entered = await switchAccount(deps, { oldToken: sessionTokenOf(request) ?? '', slug });
    const body = entered === null ? null : await findSessionBody({ calls, supportEmail }, entered);
    if (entered === null || body === null) {
      throw new ApiError({ code: 'not_found', message: 'You are not a member of an account with this slug.' });
    }
    const { partnerId, token, secondsLeft } = entered;
    const verified = { action: 'login.verify', environment: null, status: 200, detail: null } as const;
    // Under an id of its own: the request's is in the list of the account that was left.
    recorder.record({ id: newId(deps.clock), partnerId, by, ...verified });
    return reply.header('set-cookie', sessionCookie(token, secondsLeft)).send(body);
  });
}
