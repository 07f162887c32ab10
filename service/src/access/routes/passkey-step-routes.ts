import type { FastifyRequest } from 'fastify';
import { originOf } from '../../http/auth/origin.ts';
import { sessionTokenOf } from '../../http/auth/session-cookie.ts';
import { openBodyErrors } from '../../http/errors/responses.ts';
import type { LimitHook } from '../../http/limits/rate-limit.ts';
import { addSchema } from '../../http/schema/schemas.ts';
import type { Server } from '../../http/server.ts';
import { ApiError } from '../../platform/api-error.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import type { PersonActor } from '../actor.ts';
import { addNewPasskey, beginFirst } from '../passkeys/add-passkey.ts';
import type { PasskeyDeps } from '../passkeys/passkey-deps.ts';
import { findUnprovenSession, type UnprovenSession } from '../passkeys/store.ts';
import { beginToProve, provePerson } from '../passkeys/use-passkey.ts';
import { findBySecret, type Pepper } from '../secrets.ts';
import type { Sessions } from '../signing-in/sessions.ts';
import { optionsBody, passkeyExamples as examples, PasskeyOptions, ProveSessionRequest } from './passkey-body.ts';
import { findSessionBody, SessionSchema } from './session-body.ts';

export interface PasskeyStepDeps extends PasskeyDeps {
  calls: SingleCalls;
  pepper: Pepper;
  sessions: Sessions;
  limitOpen: LimitHook;
  refuseForeign: LimitHook;
  supportEmail: string;
}

type FindDeps = Pick<PasskeyStepDeps, 'calls' | 'pepper' | 'clock'>;

/** A session that a code opened and a passkey has not proven, by its token. */
export async function findUnproven({ calls, pepper, clock }: FindDeps, token: string): Promise<UnprovenSession | null> {
  const found = await findBySecret(pepper, token, async (digest) => findUnprovenSession(calls, digest, clock.now()));
  return found?.row ?? null;
}

interface Waiting {
  session: UnprovenSession;
  person: PersonActor;
  token: string;
}

async function getWaiting(deps: FindDeps, request: FastifyRequest): Promise<Waiting> {
  const token = sessionTokenOf(request);
  const session = token === undefined ? null : await findUnproven(deps, token);
  if (token === undefined || session === null) throw new ApiError(signInFirst);
  const { id: sessionId, partnerId, email: by } = session;
  const person: PersonActor = {
    partnerId,
    environment: 'sandbox',
    by,
    sessionId,
    requestId: request.id,
    origin: originOf(request),
  };
  return { session, person, token };
}

const signInFirst = { code: 'invalid_code', message: 'Your sign-in has expired. Request a new code.' } as const;

const tooLate = {
  code: 'passkey_required',
  message:
    'This account requires a passkey, and the time to add your first one is over. Ask an admin to remove and invite you again, or contact support.',
} as const;

/** The step between an emailed code and a session, for who needs a passkey. */
export function addPasskeyStepRoutes(app: Server, deps: PasskeyStepDeps): void {
  addSchema(app, ProveSessionRequest, { use: examples.signed });
  const onRequest = [deps.limitOpen, deps.refuseForeign];
  const begin = {
    operationId: 'beginPasskeyStep',
    summary: 'Start the passkey step',
    description:
      'Returns what the browser has to do with a passkey before the session can be used. Takes the cookie that `POST /v1/auth/session` set with its 202.',
    tags: ['Dashboard sign-in'],
    response: {
      200: PasskeyOptions.ref,
      ...openBodyErrors('invalid_code', 'cross_site_request', 'passkey_required'),
    },
  };
  app.post('/v1/auth/passkey/options', { schema: begin, config: { access: 'anybody' }, onRequest }, async (request) => {
    const { session, person } = await getWaiting(deps, request);
    if (session.hasPasskey) return optionsBody(await beginToProve(deps, person));
    if (!session.mayAdd) throw new ApiError(tooLate);
    return optionsBody(await beginFirst(deps, person));
  });
  const prove = {
    operationId: 'provePasskeyStep',
    summary: 'Send the answer of the passkey step',
    description:
      'Uses a passkey, or adds the first one where the account requires one. From then on the session can be used.',
    tags: ['Dashboard sign-in'],
    body: ProveSessionRequest.ref,
    response: { 200: SessionSchema.ref, ...openBodyErrors('invalid_code', 'cross_site_request', 'invalid_passkey') },
  };
  app.post('/v1/auth/passkey', { schema: prove, config: { access: 'anybody' }, onRequest }, async (request) => {
    const { session, person, token } = await getWaiting(deps, request);
    const { use, add } = request.body;
    if (use !== undefined) await provePerson(deps, person, { signed: use, purpose: 'sign_in' });
    else if (add !== undefined) await addNewPasskey(deps, person, add);
    else throw new ApiError({ code: 'invalid_request', message: 'Send `use` or `add`.' });
    deps.sessions.forget(token);
    const body = await findSessionBody(deps, { partnerId: session.partnerId, sessionId: session.id });
    if (body === null) throw new ApiError(signInFirst);
    return body;
  });
}
