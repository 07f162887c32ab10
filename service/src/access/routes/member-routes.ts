import { Type, type Static } from 'typebox';
import type { ActivityLog } from '../../http/activity-log.ts';
import type { Authentication } from '../../http/auth/authentication.ts';
import { exampleValues } from '../../http/schema/example-values.ts';
import {
  dateTime,
  EmailAddress,
  listExample,
  listOf,
  nullableInstant,
  nullableText,
  Query,
} from '../../http/schema/fields.ts';
import type { LimitHook } from '../../http/limits/rate-limit.ts';
import { ConfirmCode, ConfirmRequest } from '../../http/schema/confirm-code.ts';
import { patterns } from '../../http/schema/patterns.ts';
import { bodyErrors, keyedErrors } from '../../http/errors/responses.ts';
import { addSchema, nameSchema } from '../../http/schema/schemas.ts';
import type { Server } from '../../http/server.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import { changeRole } from '../members/change-role.ts';
import { inviteMember } from '../members/invite-member.ts';
import type { MemberDeps } from '../members/member-deps.ts';
import { removeMember } from '../members/remove-member.ts';
import { listMembers, type Member as MemberRow } from '../members/store.ts';
import { normalEmail } from '../signing-in/codes.ts';
import type { LimitMailbox } from '../signing-in/mailbox-limit.ts';
import { adminOf } from './people.ts';
import { requirePlainNames } from './plain-names.ts';
import { Role } from './role.ts';

const MemberEmail = Type.String({ format: 'email', description: 'The email address that they sign in with.' });

const Member = nameSchema(
  'Member',
  Type.Object(
    {
      email: MemberEmail,
      name: nullableText({ description: 'The name of the person.' }),
      role: Role,
      last_login_at: nullableInstant({ description: 'When they last signed in. Null if never.' }),
      created_at: dateTime('When they were invited.'),
    },
    { description: 'A person who can sign in to the account.' },
  ),
);
const invitedExample = { email: exampleValues.viewerEmail, name: 'Alan Turing', role: 'viewer' } as const;
const memberExample = { ...invitedExample, last_login_at: null, created_at: exampleValues.createdAt };
/** A member as events show it. */
export const shownMember = { schema: Member.ref, example: memberExample };
const MemberList = nameSchema('MemberList', listOf(Member.ref, { description: 'Members, oldest first.' }));

const strict = { additionalProperties: false };
const InviteMemberRequest = nameSchema(
  'InviteMemberRequest',
  Type.Object(
    {
      email: EmailAddress,
      name: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 120,
          pattern: patterns.shownName,
          description: 'The name of the person, without a web address or a phone number.',
        }),
      ),
      role: Role,
      confirm_code: ConfirmCode,
    },
    { ...strict, description: 'The person to invite.' },
  ),
);
const ChangeMemberRequest = nameSchema(
  'ChangeMemberRequest',
  Type.Object({ role: Role, confirm_code: ConfirmCode }, { ...strict, description: 'The new role.' }),
);
const MemberRemoved = nameSchema(
  'MemberRemoved',
  Type.Object(
    { email: MemberEmail, removed: Type.Literal(true, { description: 'Always `true`.' }) },
    { description: 'The member is removed.' },
  ),
);
const MemberPath = Type.Object({
  email: { ...EmailAddress, description: 'The email address of the member.', examples: [exampleValues.viewerEmail] },
});

function memberBody({ email, name, role, ...at }: MemberRow): Static<typeof Member.definition> {
  return {
    email,
    name,
    role,
    last_login_at: at.last_login_at?.toISOString() ?? null,
    created_at: at.created_at.toISOString(),
  };
}

export interface MemberRouteDeps extends MemberDeps, Authentication {
  calls: SingleCalls;
  activity: ActivityLog;
  limitInvitations: LimitHook;
  limitMailbox: LimitMailbox;
}

export function addMemberRoutes(app: Server, deps: MemberRouteDeps): void {
  addSchema(app, Member, memberExample);
  addSchema(app, MemberList, listExample(memberExample));
  addSchema(app, InviteMemberRequest, invitedExample);
  addSchema(app, ChangeMemberRequest, { role: 'admin' });
  addSchema(app, MemberRemoved, { email: exampleValues.viewerEmail, removed: true });
  addListRoute(app, deps);
  addInviteRoute(app, deps);
  addChangeRoute(app, deps);
  addRemoveRoute(app, deps);
}

function addListRoute(app: Server, { calls, requireCaller, callerOf }: MemberRouteDeps): void {
  const schema = {
    operationId: 'listMembers',
    summary: 'List members',
    description: 'Returns every person who can sign in to the account.',
    tags: ['Dashboard team'],
    querystring: Query,
    response: { 200: MemberList.ref, ...keyedErrors() },
  };
  const config = { action: 'member.list', access: 'people', ofBothEnvironments: true } as const;
  app.get('/v1/members', { schema, config, onRequest: requireCaller }, async (request) => ({
    object: 'list' as const,
    data: (await listMembers(calls, callerOf(request))).map(memberBody),
  }));
}

function addInviteRoute(app: Server, deps: MemberRouteDeps): void {
  const schema = {
    operationId: 'inviteMember',
    summary: 'Invite a member',
    description:
      'Adds a person to the account and emails them and every admin. They sign in with this address. An admin is confirmed with an emailed code. Limits: 200 members, 50 invitations per day, 5 before the business is verified, and 10 per hour for a mailbox. A repeat is refused: the address is already a member.',
    tags: ['Dashboard team'],
    querystring: Query,
    body: InviteMemberRequest.ref,
    response: {
      201: Member.ref,
      ...bodyErrors('partner_not_active', 'confirmation_required', 'invalid_confirm_code', 'invalid_request'),
    },
  };
  const config = { action: 'member.invite', access: 'admins', ofBothEnvironments: true } as const;
  // Only what could be sent counts: a slip in the address does not.
  const hooks = { onRequest: deps.requireCaller, preHandler: deps.limitInvitations };
  app.post('/v1/members', { schema, config, ...hooks }, async (request, reply) => {
    const { email, name = null, role, confirm_code: code } = request.body;
    requirePlainNames({ name });
    await deps.limitMailbox('invitation', email);
    const invited = { email: normalEmail(email), name, role, code };
    const member = await inviteMember(deps, adminOf(request, deps), invited);
    deps.activity.isRecorded(request);
    return reply.code(201).send(memberBody(member));
  });
}

const emailOf = ({ params }: { params: Static<typeof MemberPath> }): string => normalEmail(params.email);

function addChangeRoute(app: Server, deps: MemberRouteDeps): void {
  const schema = {
    operationId: 'changeMember',
    summary: "Update a member's role",
    description:
      'Changes the role, once you confirm it with an emailed code. We email every admin and the member. The last admin must stay an admin. Safe to retry.',
    tags: ['Dashboard team'],
    params: MemberPath,
    querystring: Query,
    body: ChangeMemberRequest.ref,
    response: {
      200: Member.ref,
      ...bodyErrors(
        'not_found',
        'last_admin',
        'partner_not_active',
        'confirmation_required',
        'invalid_confirm_code',
        'invalid_request',
      ),
    },
  };
  const config = { action: 'member.change', access: 'admins', ofBothEnvironments: true } as const;
  app.patch('/v1/members/:email', { schema, config, onRequest: deps.requireCaller }, async (request) => {
    const { role, confirm_code: code } = request.body;
    const member = await changeRole(deps, adminOf(request, deps), { email: emailOf(request), role, code });
    deps.activity.isRecorded(request);
    return memberBody(member);
  });
}

function addRemoveRoute(app: Server, deps: MemberRouteDeps): void {
  const schema = {
    operationId: 'removeMember',
    summary: 'Remove a member',
    description:
      'Removes the person and ends their sessions within a second, once you confirm it with an emailed code. We email every admin and the person. The last admin cannot be removed. A repeat returns 404.',
    tags: ['Dashboard team'],
    params: MemberPath,
    querystring: Query,
    body: ConfirmRequest.ref,
    response: {
      200: MemberRemoved.ref,
      ...bodyErrors('not_found', 'last_admin', 'confirmation_required', 'invalid_confirm_code'),
    },
  };
  const config = { action: 'member.remove', access: 'admins', ofBothEnvironments: true, bodyIsOptional: true } as const;
  app.delete('/v1/members/:email', { schema, config, onRequest: deps.requireCaller }, async (request) => {
    const email = emailOf(request);
    await removeMember(deps, adminOf(request, deps), { email, code: request.body.confirm_code });
    deps.activity.isRecorded(request);
    return { email, removed: true as const };
  });
}
