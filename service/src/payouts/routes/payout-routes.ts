import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { ActivityLog } from '../../http/activity-log.ts';
import type { Authentication } from '../../http/auth/authentication.ts';
import { bodyProblems } from '../../http/schema/field-problems.ts';
import { exampleValues } from '../../http/schema/example-values.ts';
import { environmentQuery, Query } from '../../http/schema/fields.ts';
import { requireNamedAccount } from '../../http/auth/named-account.ts';
import { patterns } from '../../http/schema/patterns.ts';
import type { LimitHook } from '../../http/limits/rate-limit.ts';
import { waitOnPurpose } from '../../http/limits/wait-on-purpose.ts';
import { bodyErrors, keyedErrors } from '../../http/errors/responses.ts';
import { addSchema } from '../../http/schema/schemas.ts';
import type { Server } from '../../http/server.ts';
import { ApiError } from '../../platform/api-error.ts';
import { cancelPayout } from '../lifecycle/cancel-payout.ts';
import { createPayout, type CreateDeps } from '../creation/create-payout.ts';
import { quotePayout } from '../pricing/quote.ts';
import { readBalance } from '../reading/read-balance.ts';
import { waitForChange, type WaitDeps } from '../reading/wait-for-change.ts';
import { answerWithPayout } from './payout-text.ts';
import { refuseBody } from './refuse-body.ts';
import * as examples from './examples.ts';
import {
  BalanceSchema,
  CreatePayoutRequest,
  PayoutCreated,
  PayoutPath,
  PayoutSchema,
  QuoteRequest,
  QuoteSchema,
  Recipient,
} from './schemas.ts';
import { amountFrom, balanceBody, orderFrom, payoutBody, quoteBody } from './wire-form.ts';

export interface PayoutRouteDeps extends CreateDeps, Authentication, WaitDeps {
  activity: ActivityLog;
  limitPayoutCreation: LimitHook;
}

const keyForm = new RegExp(patterns.idempotencyKey);

const keyMissing = 'The Idempotency-Key header is required. Send your own id for the payout, the same for every retry.';
const keyMalformed =
  'The Idempotency-Key is malformed. Use 8 to 100 letters, digits, underscores, hyphens, colons or dots.';

function idempotencyKeyOf(request: FastifyRequest): string {
  const key = request.headers['idempotency-key'];
  if (typeof key === 'string' && keyForm.test(key)) return key;
  throw new ApiError({
    code: 'idempotency_key_required',
    message: key === undefined ? keyMissing : keyMalformed,
    details: { pattern: keyForm.source },
  });
}

/** Before the body is read: whether it could be read does not matter without a key. */
async function requireIdempotencyKey(request: FastifyRequest): Promise<void> {
  idempotencyKeyOf(request);
}

async function refuseWrongBody(request: FastifyRequest): Promise<void> {
  const problems = bodyProblems(request);
  if (problems.length > 0) throw refuseBody(problems, request.body);
}

const replayHeader = {
  'Idempotent-Replayed': { type: 'string', enum: ['true'], description: 'The payout existed before this request.' },
};
const KeyHeader = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      // Not by the schema: what is wrong with it is a 400 of its own.
      'x-described-as': {
        name: 'Idempotency-Key',
        type: 'string',
        pattern: patterns.idempotencyKey,
        required: true,
        examples: [exampleValues.idempotencyKey],
      },
      description:
        'Your own id for the payout: 8 to 100 letters, digits, `_`, `-`, `:` or `.`. Use the same key for every retry.',
    }),
  ),
  'kelpie-account': Type.Optional(
    Type.String({
      'x-described-as': {
        name: 'Kelpie-Account',
        type: 'string',
        format: 'uuid',
        examples: [exampleValues.partnerId],
      },
      description:
        'Dashboard sessions only, and required for them: the id of the account that pays. Ignored for API keys.',
    }),
  ),
});

export function addPayoutRoutes(app: Server, deps: PayoutRouteDeps): void {
  addSchema(app, Recipient, examples.recipient);
  addSchema(app, QuoteRequest, examples.quoteRequest);
  addSchema(app, CreatePayoutRequest, examples.createPayoutRequest);
  addSchema(app, QuoteSchema, examples.quote);
  addSchema(app, PayoutSchema, examples.payout);
  addSchema(app, PayoutCreated, examples.payoutCreated);
  addSchema(app, BalanceSchema, examples.balance);
  addQuoteRoute(app, deps);
  addCreateRoute(app, deps);
  addReadRoute(app, deps);
  addCancelRoute(app, deps);
  addBalanceRoute(app, deps);
}

function addQuoteRoute(app: Server, deps: PayoutRouteDeps): void {
  const schema = {
    operationId: 'createQuote',
    summary: 'Create a quote',
    description:
      'Returns the fee and the USDC that a payout would take now. Creates nothing and moves no money. Quotes are not binding: the exchange rate can change before you create the payout.',
    tags: ['Payouts'],
    querystring: Query,
    body: QuoteRequest.ref,
    response: {
      200: QuoteSchema.ref,
      ...bodyErrors('invalid_amount', 'corridor_not_enabled', 'invalid_request', 'rate_unavailable'),
    },
  };
  app.post(
    '/v1/quotes',
    {
      schema,
      config: { action: 'quote.create', access: 'readers' },
      attachValidation: true,
      onRequest: deps.requireCaller,
      preHandler: refuseWrongBody,
    },
    async (request) => {
      const amount = amountFrom(request.body.amount_gbp);
      return quoteBody(await quotePayout(deps, deps.callerOf(request), amount));
    },
  );
}

function addCreateRoute(app: Server, deps: PayoutRouteDeps): void {
  const schema = {
    operationId: 'createPayout',
    summary: 'Create a payout',
    description:
      'Pays a UK bank account in pounds from your wallet. Returns 201 once the bank has accepted the payout, or with status `pending` if its outcome is not yet known. Limits: `amount_gbp` within `payout_limits_gbp` of your account, 25 payouts per second per key. Safe to retry with the same `Idempotency-Key`: a repeat returns the first payout with 200 and `Idempotent-Replayed: true`, and never pays twice. Live payouts of dashboard users need an emailed code (see `confirmation_required`). Rules of the account can ask for approval by another admin (see `approval_required`).',
    tags: ['Payouts'],
    headers: KeyHeader,
    querystring: Query,
    body: CreatePayoutRequest.ref,
    response: {
      200: {
        ...PayoutSchema.ref,
        description: 'The payout that this Idempotency-Key created before, as it is now.',
        headers: replayHeader,
      },
      201: PayoutCreated.ref,
      ...bodyErrors(
        'idempotency_key_required',
        'insufficient_funds',
        'partner_not_active',
        'idempotency_key_in_use',
        'invalid_amount',
        'invalid_recipient',
        'corridor_not_enabled',
        'invalid_request',
        'idempotency_key_reused',
        'confirmation_required',
        'invalid_confirm_code',
        'recipient_account_rejected',
        'limit_exceeded',
        'approval_required',
        'payout_request_closed',
        'payout_not_created',
      ),
    },
  };
  const requireAccount = async (request: FastifyRequest): Promise<void> => {
    requireNamedAccount(request, deps.callerOf(request));
  };
  const onRequest = [deps.requireCaller, deps.limitPayoutCreation, requireIdempotencyKey, requireAccount];
  app.post(
    '/v1/payouts',
    {
      schema,
      config: { action: 'payout.create', access: 'payers' },
      attachValidation: true,
      onRequest,
      preHandler: refuseWrongBody,
    },
    async (request, reply) => {
      const idempotencyKey = idempotencyKeyOf(request);
      const order = orderFrom(request.body);
      const made = await createPayout(deps, {
        ...deps.callerOf(request),
        requestId: request.id,
        payoutId: request.id,
        idempotencyKey,
        order,
        confirmCode: request.body.confirm_code ?? null,
        onAskedAnswer: () => void (reply.isStaged = true),
      });
      const { payout } = made;
      deps.activity.isAbout(request, payout.id);
      if (made.kind === 'replayed')
        return reply.header('idempotent-replayed', 'true').code(200).send(payoutBody(payout));
      if (made.isRecorded) deps.activity.isRecorded(request);
      const quote = quoteBody({ amount: payout.amount, rate: made.payout.rate, cost: made.cost });
      return reply.code(201).send({ ...payoutBody(payout), quote });
    },
  );
}

const ReadQuery = Type.Object(
  {
    ...environmentQuery,
    wait: Type.Optional(
      Type.String({
        pattern: patterns.waitSeconds,
        description:
          'How many seconds to wait for another status. We may answer earlier, with the payout as it is: check its `status`.',
        'x-described-as': { type: 'integer', minimum: 0, maximum: 20, default: 0, examples: [20] },
      }),
    ),
  },
  { additionalProperties: false },
);

function addReadRoute(app: Server, deps: PayoutRouteDeps): void {
  const schema = {
    operationId: 'getPayout',
    summary: 'Retrieve a payout',
    description:
      'Returns the payout as it is now. With `wait`, answers once its status has changed, or when the time is over. A payout that is `completed`, `failed`, `cancelled` or `returned` is returned at once. A completed payout can still be returned by the bank, days later: learn of that by events.',
    tags: ['Payouts'],
    params: PayoutPath,
    querystring: ReadQuery,
    response: { 200: PayoutSchema.ref, ...keyedErrors('not_found') },
  };
  const config = { action: 'payout.get', access: 'readers' } as const;
  app.get('/v1/payouts/:id', { schema, config, onRequest: deps.requireCaller }, async (request, reply) => {
    const asked = { ...deps.callerOf(request), payoutId: request.params.id };
    const waitMs = Number(request.query.wait ?? 0) * 1_000;
    if (waitMs === 0) return answerWithPayout(reply, await deps.payouts.show(asked));
    const waited = await waitOnPurpose(reply, waitMs, async (gone) => waitForChange(deps, asked, { waitMs, gone }));
    return answerWithPayout(reply, waited);
  });
}

function addCancelRoute(app: Server, deps: PayoutRouteDeps): void {
  const schema = {
    operationId: 'cancelPayout',
    summary: 'Cancel a payout',
    description:
      'Cancels a payout that the bank can still stop, and returns its money to the wallet. A payout on its way cannot be cancelled. Safe to retry.',
    tags: ['Payouts'],
    params: PayoutPath,
    querystring: Query,
    response: { 200: PayoutSchema.ref, ...bodyErrors('not_found', 'payout_not_cancellable') },
  };
  const config = { action: 'payout.cancel', access: 'payers' } as const;
  app.post('/v1/payouts/:id/cancel', { schema, config, onRequest: deps.requireCaller }, async (request) => {
    const { payout, isRecorded } = await cancelPayout(
      deps,
      { ...deps.callerOf(request), requestId: request.id },
      request.params.id,
    );
    if (isRecorded) deps.activity.isRecorded(request);
    return payoutBody(payout);
  });
}

function addBalanceRoute(app: Server, deps: PayoutRouteDeps): void {
  const schema = {
    operationId: 'getBalance',
    summary: 'Retrieve the balance',
    description: 'Returns the wallet balance in USDC, and in pounds at the current exchange rate.',
    tags: ['Wallet'],
    querystring: Query,
    response: { 200: BalanceSchema.ref, ...keyedErrors('partner_not_active', 'balance_unavailable') },
  };
  const config = { action: 'balance.get', access: 'readers' } as const;
  app.get('/v1/balance', { schema, config, onRequest: deps.requireCaller }, async (request) =>
    balanceBody(await readBalance(deps, deps.callerOf(request))),
  );
}
