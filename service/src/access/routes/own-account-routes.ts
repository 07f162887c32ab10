import { Type, type Static } from 'typebox';
import type { ActivityRecorder } from '../../activity/index.ts';
import type { Authentication } from '../../http/auth/authentication.ts';
import { originOf } from '../../http/auth/origin.ts';
import { exampleValues } from '../../http/schema/example-values.ts';
import { listExample, listOf, nullableInstant } from '../../http/schema/fields.ts';
import { patterns } from '../../http/schema/patterns.ts';
import type { LimitHook } from '../../http/limits/rate-limit.ts';
import { bodyErrors, keyedErrors } from '../../http/errors/responses.ts';
import { addSchema, nameSchema } from '../../http/schema/schemas.ts';
import type { Server } from '../../http/server.ts';
import { sessionCookie, sessionTokenOf } from '../../http/auth/session-cookie.ts';
import { ApiError } from '../../platform/api-error.ts';
import { switchAccount, type SwitchAccountDeps } from '../signing-in/switch-account.ts';
import { listAccounts, type OwnAccount } from '../signing-in/store.ts';
import { Role } from './role.ts';
import { PasskeyStep, stepBody } from './passkey-body.ts';
import { findUnproven } from './passkey-step-routes.ts';
import { findSessionBody, SessionSchema } from './session-body.ts';

const OwnAccountSchema = nameSchema(
  'OwnAccount',
  Type.Object(
    {
      slug: Type.String({ description: 'The short name of the account.' }),
      name: Type.String({ description: 'The name of the business.' }),
      role: Role,
      last_login_at: nullableInstant({ description: 'When you last signed in to it. Null if never.' }),
      is_current: Type.Boolean({ description: 'Whether this session belongs to it.' }),
    },
    { description: 'An account that you are a member of.' },
  ),
);
const OwnAccountList = nameSchema(
  'OwnAccountList',
  listOf(OwnAccountSchema.ref, { description: 'Your accounts, the current one first.' }),
);

const EnterAccountRequest = nameSchema(
  'EnterAccountRequest',
  Type.Object(
    { slug: Type.String({ pattern: patterns.slug, description: 'The short name of the account to switch to.' }) },
    { additionalProperties: false, description: 'The account to switch to.' },
  ),
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
  const { slug, business: name, createdAt: last_login_at } = exampleValues;
  const account = { slug, name, role: 'admin', last_login_at, is_current: true } as const;
  addSchema(app, OwnAccountSchema, account);
  addSchema(app, OwnAccountList, listExample(account));
  addSchema(app, EnterAccountRequest, { slug });
  addListRoute(app, deps);
  addSwitchRoute(app, deps);
}

function addListRoute(app: Server, { calls, requireCaller, callerOf }: OwnAccountDeps): void {
  const schema = {
    operationId: 'listOwnAccounts',
    summary: 'List your accounts',
    description: 'Returns the accounts that you are a member of: the current one first, then by name.',
    tags: ['Dashboard sign-in'],
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
    summary: 'Switch account',
    description:
      'Ends this session and sets the cookie of a session for the other account, which expires when this one would have. Limit: 60 switches per hour. Answers 202 where the other account takes a passkey: the cookie is then good for `/v1/auth/passkey` alone.',
    tags: ['Dashboard sign-in'],
    body: EnterAccountRequest.ref,
    response: { 200: SessionSchema.ref, 202: PasskeyStep.ref, ...bodyErrors('invalid_request', 'not_found') },
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
    const browser = { requestId: request.id, origin: originOf(request), oldToken: sessionTokenOf(request) ?? '' };
    const entered = await switchAccount(deps, { ...browser, email: by, slug });
    const body = entered === null ? null : await findSessionBody({ calls, supportEmail }, entered);
    if (entered === null || body === null) {
      throw new ApiError({ code: 'not_found', message: 'You are not a member of an account with this slug.' });
    }
    const { partnerId, token, secondsLeft, eventId: id } = entered;
    const verified = { action: 'login.verify', environment: null, status: 200, detail: null } as const;
    recorder.record({ id, partnerId, by, ...verified });
    reply.header('set-cookie', sessionCookie(token, secondsLeft));
    const unproven = await findUnproven(deps, token);
    return unproven === null ? reply.send(body) : reply.code(202).send(stepBody(unproven));
  });
}
