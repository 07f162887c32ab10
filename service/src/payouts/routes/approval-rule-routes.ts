import type { FastifyRequest } from 'fastify';
import { Type, type Static } from 'typebox';
import type { Authentication } from '../../http/auth/authentication.ts';
import { originOf } from '../../http/auth/origin.ts';
import { bodyErrors, keyedErrors } from '../../http/errors/responses.ts';
import { ConfirmCode, ConfirmRequest } from '../../http/schema/confirm-code.ts';
import { exampleValues } from '../../http/schema/example-values.ts';
import { dateTime, Environment, nullableObject, nullableText, Query, uuid } from '../../http/schema/fields.ts';
import { patterns } from '../../http/schema/patterns.ts';
import { addSchema, nameSchema } from '../../http/schema/schemas.ts';
import type { Server } from '../../http/server.ts';
import { formatPounds, parsePounds } from '../../money/amounts.ts';
import type { Pool } from '../../platform/database/pool.ts';
import { inReadOnlyTransaction, type PartnerContext } from '../../platform/database/transaction.ts';
import { readApprovalRules, type ApprovalRules, type KnownRules } from '../approvals/store.ts';
import { decideRules, updateRules, type RulesDeps } from '../approvals/update-rules.ts';
import { mostLimit } from '../spending/store.ts';

const ruleFields = {
  above_gbp: nullableText({
    pattern: patterns.money,
    description:
      'A payout of more than this needs approval, in pounds. `0.00`: every payout. Null: the amount asks for none.',
  }),
  new_payee: Type.Boolean({
    description: 'Whether a payout needs approval to an account that no payout was completed to before.',
  }),
  api_key_ids: Type.Array(uuid('The id of a key.'), {
    description: 'API keys all of whose payouts need approval.',
    examples: [[exampleValues.keyId]],
  }),
};

const ApprovalRulesSchema = nameSchema(
  'ApprovalRules',
  Type.Object(
    {
      object: Type.Literal('approval_rules', { description: 'Always `approval_rules`.' }),
      environment: Environment,
      ...ruleFields,
      pending: nullableObject(
        Type.Object({
          ...ruleFields,
          requested_by: Type.String({ description: 'The admin who asked for it. Another one has to approve it.' }),
          requested_at: dateTime('When it was asked for. It expires after 72 hours.'),
        }),
        { description: 'Looser rules that wait for another admin. Null if none do.' },
      ),
    },
    { description: 'Which payouts another admin has to approve.' },
  ),
);

const UpdateApprovalRulesRequest = nameSchema(
  'UpdateApprovalRulesRequest',
  Type.Object(
    {
      above_gbp: Type.Optional({ ...ruleFields.above_gbp, maxLength: 15 }),
      new_payee: Type.Optional(ruleFields.new_payee),
      api_key_ids: Type.Optional({ ...ruleFields.api_key_ids, maxItems: 20 }),
      confirm_code: ConfirmCode,
    },
    { additionalProperties: false, description: 'The rules to change. Omitted ones stay as they are.' },
  ),
);

function shown({ above, newPayee, keyIds }: ApprovalRules) {
  return { above_gbp: above === null ? null : formatPounds(above), new_payee: newPayee, api_key_ids: keyIds };
}

function rulesBody(
  environment: PartnerContext['environment'],
  rules: KnownRules,
): Static<typeof ApprovalRulesSchema.definition> {
  const { pending } = rules;
  return {
    object: 'approval_rules',
    environment,
    ...shown(rules),
    pending:
      pending === null ? null : { ...shown(pending), requested_by: pending.by, requested_at: pending.at.toISOString() },
  };
}

const example: KnownRules = {
  above: 500_000n,
  newPayee: true,
  keyIds: [],
  pending: {
    above: 1_000_000n,
    newPayee: true,
    keyIds: [],
    by: exampleValues.adminEmail,
    at: new Date(exampleValues.createdAt),
  },
};

function changesFrom(body: Static<typeof UpdateApprovalRulesRequest.definition>): Partial<ApprovalRules> {
  const { above_gbp: above, new_payee: newPayee, api_key_ids: keyIds } = body;
  return {
    // Too many digits are too much, and refused as that.
    ...(above === undefined ? {} : { above: above === null ? null : (parsePounds(above) ?? mostLimit + 1n) }),
    ...(newPayee === undefined ? {} : { newPayee }),
    ...(keyIds === undefined ? {} : { keyIds: keyIds.map((id) => id.toLowerCase()) }),
  };
}

interface ApprovalRuleDeps extends Authentication, RulesDeps {
  pool: Pool;
}

async function readBody({ pool, clock }: ApprovalRuleDeps, { partnerId, environment }: PartnerContext) {
  const of = { partnerId, environment };
  return rulesBody(
    environment,
    await inReadOnlyTransaction(pool, of, async (tx) => readApprovalRules(tx, clock.now())),
  );
}

function adminOf(request: FastifyRequest, deps: ApprovalRuleDeps) {
  const { partnerId, environment, by, callerId: sessionId } = deps.callerOf(request);
  return { partnerId, environment, by, sessionId, requestId: request.id, origin: originOf(request) };
}

export function addApprovalRuleRoutes(app: Server, deps: ApprovalRuleDeps): void {
  addSchema(app, ApprovalRulesSchema, rulesBody('live', example));
  addSchema(app, UpdateApprovalRulesRequest, { above_gbp: '5000.00', new_payee: true });
  addReadRoute(app, deps);
  addUpdateRoute(app, deps);
  addDecideRoutes(app, deps);
}

function addReadRoute(app: Server, deps: ApprovalRuleDeps): void {
  const schema = {
    operationId: 'getApprovalRules',
    summary: 'Retrieve approval rules',
    description: 'Returns which payouts another admin has to approve, and looser rules that wait for another admin.',
    tags: ['Approvals'],
    querystring: Query,
    response: { 200: ApprovalRulesSchema.ref, ...keyedErrors() },
  };
  const config = { action: 'approval_rules.get', access: 'readers' } as const;
  app.get('/v1/approval-rules', { schema, config, onRequest: deps.requireCaller }, async (request) =>
    readBody(deps, deps.callerOf(request)),
  );
}

function addUpdateRoute(app: Server, deps: ApprovalRuleDeps): void {
  const schema = {
    operationId: 'updateApprovalRules',
    summary: 'Update approval rules',
    description:
      'Changes the rules that you send. Confirmed with an emailed code. We email every admin. What only adds or tightens a rule holds from now on, and needs two admins in the account. Anything else waits for another admin, for 72 hours, and replaces what waited before. Safe to retry.',
    tags: ['Dashboard settings'],
    querystring: Query,
    body: UpdateApprovalRulesRequest.ref,
    response: {
      200: ApprovalRulesSchema.ref,
      ...bodyErrors(
        'verification_required',
        'second_admin_required',
        'confirmation_required',
        'invalid_confirm_code',
        'invalid_request',
      ),
    },
  };
  const config = { action: 'approval_rules.update', access: 'admins' } as const;
  app.patch('/v1/approval-rules', { schema, config, onRequest: deps.requireCaller }, async (request) => {
    const admin = adminOf(request, deps);
    await updateRules(deps, admin, { changes: changesFrom(request.body), code: request.body.confirm_code });
    return readBody(deps, admin);
  });
}

function addDecideRoutes(app: Server, deps: ApprovalRuleDeps): void {
  const approve = {
    operationId: 'approveApprovalRules',
    summary: 'Approve looser approval rules',
    description:
      'Applies the looser rules that another admin asked for. Confirmed with an emailed code. We email every admin.',
    tags: ['Dashboard settings'],
    querystring: Query,
    body: ConfirmRequest.ref,
    response: {
      200: ApprovalRulesSchema.ref,
      ...bodyErrors(
        'not_found',
        'verification_required',
        'second_admin_required',
        'confirmation_required',
        'invalid_confirm_code',
        'invalid_request',
      ),
    },
  };
  const decline = {
    operationId: 'declineApprovalRules',
    summary: 'Decline looser approval rules',
    description:
      'Drops the looser rules that wait for another admin. The rules stay as they are. We email every admin.',
    tags: ['Dashboard settings'],
    querystring: Query,
    response: { 200: ApprovalRulesSchema.ref, ...bodyErrors('not_found', 'verification_required') },
  };
  const { requireCaller: onRequest } = deps;
  app.post(
    '/v1/approval-rules/approve',
    {
      schema: approve,
      config: { action: 'approval_rules.approve', access: 'admins', bodyIsOptional: true },
      onRequest,
    },
    async (request) => {
      const admin = adminOf(request, deps);
      await decideRules(deps, admin, { approves: true, code: request.body.confirm_code });
      return readBody(deps, admin);
    },
  );
  app.post(
    '/v1/approval-rules/decline',
    { schema: decline, config: { action: 'approval_rules.decline', access: 'admins' }, onRequest },
    async (request) => {
      const admin = adminOf(request, deps);
      await decideRules(deps, admin, { approves: false, code: undefined });
      return readBody(deps, admin);
    },
  );
}
