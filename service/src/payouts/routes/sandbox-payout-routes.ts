import { Type, type Static } from 'typebox';
import type { PaymentFailure } from '../../banks/index.ts';
import type { Authentication } from '../../http/auth/authentication.ts';
import { sandboxOnly } from '../../http/auth/sandbox-only.ts';
import { bodyErrors } from '../../http/errors/responses.ts';
import { oneOf, Query } from '../../http/schema/fields.ts';
import { addSchema, nameSchema } from '../../http/schema/schemas.ts';
import type { Server } from '../../http/server.ts';
import { stepInSandbox, type SandboxStep, type StepDeps } from '../lifecycle/step-in-sandbox.ts';
import { PayoutPath, PayoutSchema } from './schemas.ts';
import { payoutBody } from './wire-form.ts';

/** A payout that never arrived. Of the other two, only a bank that had the money can speak: they make it returned. */
const failures = [
  'account_not_found',
  'account_closed',
  'account_blocked',
  'name_mismatch',
  'regulatory',
  'bank_rejected_details',
  'unknown',
] as const satisfies readonly PaymentFailure[];
const returns = [...failures, 'recipient_declined', 'recalled'] as const satisfies readonly PaymentFailure[];

const FailRequest = nameSchema(
  'SandboxFailRequest',
  Type.Object(
    {
      failure_code: Type.Optional(
        oneOf(failures, {
          default: 'account_not_found',
          description: 'The `failure_code` that the payout gets.',
        }),
      ),
    },
    { additionalProperties: false, description: 'Why the payout fails.' },
  ),
);

const ReturnRequest = nameSchema(
  'SandboxReturnRequest',
  Type.Object(
    {
      failure_code: Type.Optional(
        oneOf(returns, { default: 'account_closed', description: 'The `failure_code` that the payout gets.' }),
      ),
    },
    { additionalProperties: false, description: 'Why the payout is returned.' },
  ),
);

const exampleFail: Static<typeof FailRequest.definition> = { failure_code: 'account_closed' };
const exampleReturn: Static<typeof ReturnRequest.definition> = { failure_code: 'recipient_declined' };

interface SandboxPayoutDeps extends StepDeps, Authentication {}

const answers = {
  200: PayoutSchema.ref,
  ...bodyErrors('sandbox_only', 'not_found', 'sandbox_step_refused', 'sandbox_control_unavailable'),
};

const tags = ['Sandbox'];

/** What can be done to a payout by one path and no more. */
const plainSteps = [
  {
    name: 'advance',
    operationId: 'advanceSandboxPayout',
    summary: 'Advance a payout',
    description:
      'Takes a test payout one step nearer to its end: a `pending` one is confirmed by the bank, a `processing` one is completed, also if it was held. Returns the payout with its new status. Not idempotent.',
  },
  {
    name: 'hold',
    operationId: 'holdSandboxPayout',
    summary: 'Hold a payout',
    description:
      'Keeps a test payout in `processing` until you advance, fail or return it. A held payout can be cancelled. Safe to retry.',
  },
] as const;

export function addSandboxPayoutRoutes(app: Server, deps: SandboxPayoutDeps): void {
  addSchema(app, FailRequest, exampleFail);
  addSchema(app, ReturnRequest, exampleReturn);
  const onRequest = [deps.requireCaller, sandboxOnly(deps)];
  const perform = async (request: Parameters<typeof deps.callerOf>[0], payoutId: string, step: SandboxStep) =>
    payoutBody(await stepInSandbox(deps, deps.callerOf(request), { payoutId, step }));

  for (const { name, ...described } of plainSteps) {
    const schema = { ...described, tags, params: PayoutPath, querystring: Query, response: answers };
    const config = { action: `sandbox.${name}`, access: 'payers' } as const;
    app.post(`/v1/sandbox/payouts/:id/${name}`, { schema, config, onRequest }, async (request) =>
      perform(request, request.params.id, { kind: name }),
    );
  }

  const failSchema = {
    operationId: 'failSandboxPayout',
    summary: 'Fail a payout',
    description:
      'Makes a test payout `failed`, with the `failure_code` that you choose, and returns its money to the wallet. Works while it is `pending` or `processing`. Not idempotent.',
    tags,
    params: PayoutPath,
    querystring: Query,
    body: FailRequest.ref,
    response: answers,
  };
  const failConfig = { action: 'sandbox.fail', access: 'payers', bodyIsOptional: true } as const;
  app.post('/v1/sandbox/payouts/:id/fail', { schema: failSchema, config: failConfig, onRequest }, async (request) =>
    perform(request, request.params.id, {
      kind: 'fail',
      failure: request.body.failure_code ?? 'account_not_found',
    }),
  );

  const returnSchema = {
    operationId: 'returnSandboxPayout',
    summary: 'Return a payout',
    description:
      'Makes a test payout `returned`, as if the bank of the recipient sent it back, with the `failure_code` that you choose. A `processing` payout is completed first. Not idempotent.',
    tags,
    params: PayoutPath,
    querystring: Query,
    body: ReturnRequest.ref,
    response: answers,
  };
  const returnConfig = { action: 'sandbox.return', access: 'payers', bodyIsOptional: true } as const;
  app.post(
    '/v1/sandbox/payouts/:id/return',
    { schema: returnSchema, config: returnConfig, onRequest },
    async (request) =>
      perform(request, request.params.id, { kind: 'return', failure: request.body.failure_code ?? 'account_closed' }),
  );
}
