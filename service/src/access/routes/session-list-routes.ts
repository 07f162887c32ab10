import { Type, type Static } from 'typebox';
import type { ActivityLog } from '../../http/activity-log.ts';
import { accessError } from '../../http/auth/access.ts';
import type { Authentication } from '../../http/auth/authentication.ts';
import { endedSessionCookie, sessionTokenOf } from '../../http/auth/session-cookie.ts';
import { bodyErrors, keyedErrors } from '../../http/errors/responses.ts';
import { ConfirmRequest } from '../../http/schema/confirm-code.ts';
import { exampleValues } from '../../http/schema/example-values.ts';
import {
  dateTime,
  environmentQuery,
  listExample,
  listOf,
  nullableText,
  oneOf,
  Query,
  uuid,
} from '../../http/schema/fields.ts';
import { patterns } from '../../http/schema/patterns.ts';
import { addSchema, nameSchema } from '../../http/schema/schemas.ts';
import type { Server } from '../../http/server.ts';
import { instantOf } from '../../platform/ids.ts';
import { endEveryonesSessions, endOwnSessions, endSession, type EndSessionDeps } from '../signing-in/end-sessions.ts';
import { sessionSeconds, type Sessions } from '../signing-in/sessions.ts';
import { listSessions, type ListedSession } from '../signing-in/store.ts';
import { personOf, roleOf } from './people.ts';

const SessionEntry = nameSchema(
  'SessionEntry',
  Type.Object(
    {
      object: Type.Literal('session_entry', { description: 'Always `session_entry`.' }),
      id: uuid('The id of the session.'),
      email: Type.String({ format: 'email', description: 'Who is signed in.' }),
      is_current: Type.Boolean({ description: 'Whether the request was sent with this session.' }),
      created_at: dateTime('When they signed in.'),
      last_seen_at: dateTime('When the session was last used, to the minute.'),
      expires_at: dateTime('When the session expires at the latest.'),
      network: nullableText({ description: 'Where they signed in: /24 in IPv4, /64 in IPv6. Null if unknown.' }),
      browser: nullableText({ description: 'The browser and its operating system. Null if unknown.' }),
    },
    { description: 'An open dashboard session.' },
  ),
);
const SessionEntryList = nameSchema(
  'SessionEntryList',
  listOf(SessionEntry.ref, { description: 'Open sessions, the one used last first.' }),
);
const SessionEntryEnded = nameSchema(
  'SessionEntryEnded',
  Type.Object(
    { id: uuid('The id of the session.'), ended: Type.Literal(true, { description: 'Always `true`.' }) },
    { description: 'The session has ended.' },
  ),
);
const SessionsEnded = nameSchema(
  'SessionsEnded',
  Type.Object(
    {
      object: Type.Literal('sessions', { description: 'Always `sessions`.' }),
      ended: Type.Integer({ description: 'How many sessions were ended.' }),
    },
    { description: 'The sessions have ended.' },
  ),
);

const exampleId = '01a1e3b0-0d80-7a4c-9f10-3b7d2c6e8a55';
const SessionPath = Type.Object({
  id: Type.String({ pattern: patterns.uuid, description: 'The id of the session.', examples: [exampleId] }),
});
const EndQuery = Type.Object(
  {
    ...environmentQuery,
    of: Type.Optional(
      oneOf(['me', 'everyone'], {
        default: 'me',
        description: '`me`: your sessions, in every account of yours. `everyone`: those of this account.',
        examples: ['me'],
      }),
    ),
  },
  { additionalProperties: false },
);

/** More sessions than a business has people at work. */
const mostListed = 200;

function entryBody(session: ListedSession, currentId: string): Static<typeof SessionEntry.definition> {
  const { id, email, created_at: at, last_seen_at: seen, network, browser } = session;
  return {
    object: 'session_entry',
    id,
    email,
    is_current: id === currentId,
    created_at: at.toISOString(),
    last_seen_at: seen.toISOString(),
    expires_at: new Date(at.getTime() + sessionSeconds * 1_000).toISOString(),
    network,
    browser,
  };
}

interface SessionListDeps extends EndSessionDeps, Authentication {
  sessions: Sessions;
  activity: ActivityLog;
}

/** Who is signed in, and how that ends. */
export function addSessionListRoutes(app: Server, deps: SessionListDeps): void {
  const example = {
    id: exampleId,
    email: exampleValues.adminEmail,
    created_at: instantOf(exampleId),
    last_seen_at: new Date(exampleValues.createdAt),
    network: '203.0.113.0/24',
    browser: 'Firefox on Windows',
  };
  addSchema(app, SessionEntry, entryBody(example, exampleId));
  addSchema(app, SessionEntryList, listExample(entryBody(example, exampleId)));
  addSchema(app, SessionEntryEnded, { id: exampleId, ended: true });
  addSchema(app, SessionsEnded, { object: 'sessions', ended: 2 });
  addListRoute(app, deps);
  addEndRoute(app, deps);
  addEndAllRoute(app, deps);
}

function addListRoute(app: Server, { calls, clock, requireCaller, callerOf }: SessionListDeps): void {
  const schema = {
    operationId: 'listSessions',
    summary: 'List sessions',
    description: 'Returns who is signed in to the account, from where. Viewers see their own sessions only.',
    tags: ['Dashboard sign-in'],
    querystring: Query,
    response: { 200: SessionEntryList.ref, ...keyedErrors() },
  };
  const config = { action: 'session.list', access: 'people', ofBothEnvironments: true } as const;
  app.get('/v1/auth/sessions', { schema, config, onRequest: requireCaller }, async (request) => {
    const caller = callerOf(request);
    const email = roleOf(caller) === 'admin' ? null : caller.by;
    const found = await listSessions(calls, caller, { email, at: clock.now(), limit: mostListed });
    return { object: 'list' as const, data: found.map((session) => entryBody(session, caller.callerId)) };
  });
}

function addEndRoute(app: Server, deps: SessionListDeps): void {
  const schema = {
    operationId: 'endSession',
    summary: 'End a session',
    description:
      "Signs the session out. It stops working everywhere within a second. Ending another person's session is for admins, and asks for an emailed code first. Safe to retry.",
    tags: ['Dashboard sign-in'],
    params: SessionPath,
    querystring: Query,
    body: ConfirmRequest.ref,
    response: {
      200: SessionEntryEnded.ref,
      ...bodyErrors('not_found', 'confirmation_required', 'invalid_confirm_code', 'invalid_request'),
    },
  };
  const config = { action: 'session.end', access: 'people', ofBothEnvironments: true, bodyIsOptional: true } as const;
  app.delete('/v1/auth/sessions/:id', { schema, config, onRequest: deps.requireCaller }, async (request, reply) => {
    const id = request.params.id.toLowerCase();
    const person = { ...personOf(request, deps), role: roleOf(deps.callerOf(request)) };
    await endSession(deps, person, { id, code: request.body?.confirm_code });
    if (id === person.sessionId) {
      deps.sessions.forget(sessionTokenOf(request) ?? '');
      reply.header('set-cookie', endedSessionCookie);
    }
    return { id, ended: true as const };
  });
}

function addEndAllRoute(app: Server, deps: SessionListDeps): void {
  const schema = {
    operationId: 'endSessions',
    summary: 'End all other sessions',
    description:
      'Signs out all your other sessions, in every account of yours, or with `of=everyone` all other sessions of this account. They stop working everywhere within a second. `everyone` is for admins, and asks for an emailed code first. Safe to retry.',
    tags: ['Dashboard sign-in'],
    querystring: EndQuery,
    body: ConfirmRequest.ref,
    response: {
      200: SessionsEnded.ref,
      ...bodyErrors('api_key_required', 'confirmation_required', 'invalid_confirm_code', 'invalid_request'),
    },
  };
  const config = {
    action: 'session.end_all',
    access: 'people',
    ofBothEnvironments: true,
    bodyIsOptional: true,
  } as const;
  app.delete('/v1/auth/sessions', { schema, config, onRequest: deps.requireCaller }, async (request) => {
    const { of = 'me' } = request.query;
    const person = personOf(request, deps);
    deps.activity.isAbout(request, of);
    if (of === 'me') return { object: 'sessions' as const, ended: await endOwnSessions(deps, person) };
    const refused = accessError('admins', deps.callerOf(request));
    if (refused !== undefined) throw refused;
    const ended = await endEveryonesSessions(deps, person, request.body?.confirm_code);
    return { object: 'sessions' as const, ended };
  });
}
