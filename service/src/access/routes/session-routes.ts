import { Type } from 'typebox';
import type { ActivityRecorder, SecurityRecorder } from '../../activity/index.ts';
import type { Authentication } from '../../http/auth/authentication.ts';
import { originOf } from '../../http/auth/origin.ts';
import { exampleValues } from '../../http/schema/example-values.ts';
import { EmailAddress } from '../../http/schema/fields.ts';
import { patterns } from '../../http/schema/patterns.ts';
import type { LimitHook } from '../../http/limits/rate-limit.ts';
import { bodyErrors, keyedErrors, openBodyErrors } from '../../http/errors/responses.ts';
import { addSchema, nameSchema } from '../../http/schema/schemas.ts';
import type { Server } from '../../http/server.ts';
import {
  browserCookie,
  browserTokenOf,
  endedSessionCookie,
  sessionCookie,
  sessionTokenOf,
} from '../../http/auth/session-cookie.ts';
import { ApiError, sessionEnded } from '../../platform/api-error.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import { normalEmail } from '../signing-in/codes.ts';
import { sessionSeconds, type Sessions } from '../signing-in/sessions.ts';
import { signIn, type SignInDeps } from '../signing-in/sign-in.ts';
import { PasskeyStep, stepBody } from './passkey-body.ts';
import { findUnproven } from './passkey-step-routes.ts';
import { personOf } from './people.ts';
import { findSessionBody, sessionExample, SessionSchema } from './session-body.ts';
import { slugTaken } from './slug-taken.ts';

const SignInRequest = nameSchema(
  'SignInRequest',
  Type.Object(
    {
      email: EmailAddress,
      code: Type.String({ pattern: patterns.sixDigits, description: 'The 6-digit code from the email.' }),
      slug: Type.Optional(
        Type.String({
          pattern: patterns.slug,
          description:
            'Which account to sign in to. Defaults to the one you signed in to last. Required when signing up for another account.',
        }),
      ),
    },
    { additionalProperties: false, description: 'The emailed code, and who it was sent to.' },
  ),
);

const SessionEnded = nameSchema(
  'SessionEnded',
  Type.Object(
    {
      object: Type.Literal('session', { description: 'Always `session`.' }),
      ended: Type.Literal(true, { description: 'Always `true`.' }),
    },
    { description: 'The session has ended.' },
  ),
);

/** One answer for whatever is wrong: with the code, or with the address. */
const invalidCode = {
  code: 'invalid_code',
  message: 'That code is wrong or has expired. Request a new one in this browser. Only the newest code works.',
} as const;

/** How a sign-in is recorded in the activity: it belongs to no environment. */
const verified = { action: 'login.verify', environment: null } as const;

interface SessionDeps extends SignInDeps, Authentication {
  calls: SingleCalls;
  sessions: Sessions;
  recorder: ActivityRecorder;
  securityRecorder: SecurityRecorder;
  limitOpen: LimitHook;
  refuseForeign: LimitHook;
  supportEmail: string;
}

export function addSessionRoutes(app: Server, deps: SessionDeps): void {
  addSchema(app, SignInRequest, { email: exampleValues.adminEmail, code: '204816', slug: exampleValues.slug });
  addSchema(app, SessionSchema, sessionExample(deps.supportEmail));
  addSchema(app, PasskeyStep, { object: 'passkey_step', ceremony: 'use' });
  addSchema(app, SessionEnded, { object: 'session', ended: true });
  addSignIn(app, deps);
  addShowSession(app, deps);
  addSignOut(app, deps);
}

function addSignIn(
  app: Server,
  { limitOpen, refuseForeign, recorder, securityRecorder, calls, supportEmail, ...deps }: SessionDeps,
): void {
  const schema = {
    operationId: 'signIn',
    summary: 'Sign in with a code',
    description:
      'Sets the cookie of a new session and ends the one that the browser had. Limits: 5 attempts per code and 10 wrong attempts per day, for each browser that the address has signed in from before, and for all others together. Answers 202 where a passkey is needed: the cookie is then good for `/v1/auth/passkey` alone.',
    tags: ['Dashboard sign-in'],
    body: SignInRequest.ref,
    response: {
      200: SessionSchema.ref,
      202: PasskeyStep.ref,
      ...openBodyErrors('cross_site_request', 'invalid_code', 'slug_taken'),
    },
  };
  const options = { schema, config: { access: 'anybody' as const }, onRequest: [limitOpen, refuseForeign] };
  app.post('/v1/auth/session', options, async (request, reply) => {
    const { code, slug = null } = request.body;
    const email = normalEmail(request.body.email);
    const origin = originOf(request);
    const browser = {
      requestId: request.id,
      origin,
      oldToken: sessionTokenOf(request) ?? null,
      browserToken: browserTokenOf(request) ?? null,
    };
    const signedIn = await signIn(deps, { email, code, slug, ...browser });
    // Noted a moment later, so that the answer takes no longer for an address that is somebody's.
    const note = (partnerId: string, answer: { status: number; detail: string | null }): void =>
      recorder.record({ id: request.id, partnerId, by: email, ...verified, ...answer });
    const noteRefusal = (partnerId: string): void => {
      const refusal = { status: 401, detail: invalidCode.code };
      note(partnerId, refusal);
      const actor = { partnerId, by: email, requestId: request.id, origin };
      securityRecorder.record(actor, { action: verified.action, ...refusal });
    };
    switch (signedIn.kind) {
      case 'slug_taken':
        throw new ApiError(slugTaken);
      case 'wrong':
        if (signedIn.partnerId !== null) noteRefusal(signedIn.partnerId);
        throw new ApiError(invalidCode);
      case 'opened': {
        const cookies = [sessionCookie(signedIn.token, sessionSeconds), browserCookie(signedIn.browserToken)];
        const unproven = await findUnproven({ ...deps, calls }, signedIn.token);
        // Of the account it says nothing yet: the mailbox alone is nobody's.
        if (unproven !== null) return reply.code(202).header('set-cookie', cookies).send(stepBody(unproven));
        const body = await findSessionBody({ calls, supportEmail }, signedIn);
        if (body === null) throw new ApiError(invalidCode);
        note(signedIn.partnerId, { status: 200, detail: null });
        return reply.header('set-cookie', cookies).send(body);
      }
    }
  });
}

function addShowSession(app: Server, { calls, supportEmail, requireCaller, callerOf }: SessionDeps): void {
  const schema = {
    operationId: 'getSession',
    summary: 'Retrieve the session',
    description: 'Returns who is signed in, and to which account.',
    tags: ['Dashboard sign-in'],
    response: { 200: SessionSchema.ref, ...keyedErrors() },
  };
  // Not in the list of what was asked: a page asks for it each time that it is opened.
  const config = { access: 'people' as const, ofBothEnvironments: true };
  app.get('/v1/auth/session', { schema, config, onRequest: requireCaller }, async (request, reply) => {
    const { partnerId, callerId: sessionId } = callerOf(request);
    const body = await findSessionBody({ calls, supportEmail }, { partnerId, sessionId });
    if (body === null) throw new ApiError(sessionEnded);
    return reply.send(body);
  });
}

function addSignOut(app: Server, { sessions, requireCaller, callerOf }: SessionDeps): void {
  const schema = {
    operationId: 'signOut',
    summary: 'End the session',
    description: 'Signs out. The session stops working everywhere within a second.',
    tags: ['Dashboard sign-in'],
    response: { 200: SessionEnded.ref, ...bodyErrors() },
  };
  const config = { action: 'login.end', access: 'people' as const, ofBothEnvironments: true };
  app.delete('/v1/auth/session', { schema, config, onRequest: requireCaller }, async (request, reply) => {
    await sessions.end(personOf(request, { callerOf }), sessionTokenOf(request) ?? '');
    return reply.header('set-cookie', endedSessionCookie).send({ object: 'session' as const, ended: true as const });
  });
}
