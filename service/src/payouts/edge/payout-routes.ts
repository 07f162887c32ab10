import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Authentication } from '../../http/authentication.ts';
import { ErrorSchema } from '../../http/errors.ts';
import { bodyProblems } from '../../http/field-problems.ts';
import { patterns } from '../../http/patterns.ts';
import type { Server } from '../../http/server.ts';
import { parsePounds } from '../../money/amounts.ts';
import type { Pool } from '../../platform/database/pool.ts';
import { Refusal } from '../../platform/refusal.ts';
import { cancelPayout } from '../following/cancel-payout.ts';
import { createPayout, type CreateParts } from '../creating/create-payout.ts';
import { quotePayout } from '../creating/quote.ts';
import { readBalance } from '../read-balance.ts';
import type { PayoutReader } from '../read-payouts.ts';
import { listShownPayouts } from '../store.ts';
import { refuseBody } from './refuse-body.ts';
import {
  BalanceSchema,
  CreatePayoutRequest,
  PayoutCreated,
  PayoutList,
  PayoutSchema,
  QuoteRequest,
  QuoteSchema,
} from './schemas.ts';
import { balanceBody, orderFrom, payoutBody, quoteBody } from './wire-form.ts';

export interface PayoutRouteParts extends CreateParts, Authentication {
  payouts: PayoutReader;
  pool: Pool;
}

const keyForm = /^[A-Za-z0-9_\-:.]{8,100}$/;

function idempotencyKeyOf(request: FastifyRequest): string {
  const key = request.headers['idempotency-key'];
  if (typeof key === 'string' && keyForm.test(key)) return key;
  throw new Refusal({
    code: 'idempotency_key_required',
    message: 'Send a header Idempotency-Key: your own id of this payout, the same whenever you try it again.',
    details: { pattern: keyForm.source },
  });
}

/** Before the body is read: whether it could be read does not matter without a key. */
async function requireIdempotencyKey(request: FastifyRequest): Promise<void> {
  idempotencyKeyOf(request);
}

async function refuseWrongBody(request: FastifyRequest): Promise<void> {
  const problems = bodyProblems(request);
  if (problems.length > 0) throw refuseBody(problems);
}

const errors = (...statuses: number[]) => Object.fromEntries(statuses.map((status) => [status, ErrorSchema.ref]));
const environmentQuery = { environment: Type.Optional(Type.Unknown({ description: 'Ignored: the key decides.' })) };
const Query = Type.Object(environmentQuery);
const ListQuery = Type.Object({
  ...environmentQuery,
  limit: Type.Optional(Type.String({ pattern: patterns.listLimit, default: '50' })),
});
const PayoutPath = Type.Object({ id: Type.String({ pattern: patterns.uuid }) });
const KeyHeader = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      description: `Required: your own id of this payout, ${keyForm.source}. Repeated, it pays nothing twice.`,
    }),
  ),
});

export function addPayoutRoutes(app: Server, parts: PayoutRouteParts): void {
  for (const { definition } of [
    QuoteRequest,
    CreatePayoutRequest,
    QuoteSchema,
    PayoutSchema,
    PayoutCreated,
    PayoutList,
    BalanceSchema,
  ])
    app.addSchema(definition);
  addQuoteRoute(app, parts);
  addCreateRoute(app, parts);
  addReadRoutes(app, parts);
  addCancelRoute(app, parts);
  addBalanceRoute(app, parts);
}

function addQuoteRoute(app: Server, parts: PayoutRouteParts): void {
  const schema = {
    operationId: 'createQuote',
    summary: 'What a payout would cost now',
    tags: ['Payouts'],
    querystring: Query,
    body: QuoteRequest.ref,
    response: { 200: QuoteSchema.ref, ...errors(400, 401, 422, 502) },
  };
  app.post(
    '/v1/quotes',
    { schema, attachValidation: true, onRequest: parts.requireKey, preHandler: refuseWrongBody },
    async (request) => {
      const amount = parsePounds(request.body.amount_gbp) ?? 0n;
      return quoteBody(await quotePayout(parts, parts.callerOf(request), amount));
    },
  );
}

function addCreateRoute(app: Server, parts: PayoutRouteParts): void {
  const schema = {
    operationId: 'createPayout',
    summary: 'Pay a recipient',
    description:
      'Answers 201 for a new payout, and 200 with `Idempotent-Replayed: true` for a key that was used before.',
    tags: ['Payouts'],
    headers: KeyHeader,
    querystring: Query,
    body: CreatePayoutRequest.ref,
    response: { 200: PayoutSchema.ref, 201: PayoutCreated.ref, ...errors(400, 401, 402, 403, 409, 422, 502, 503) },
  };
  const onRequest = [parts.requireKey, requireIdempotencyKey];
  app.post(
    '/v1/payouts',
    { schema, attachValidation: true, onRequest, preHandler: refuseWrongBody },
    async (request, reply) => {
      const idempotencyKey = idempotencyKeyOf(request);
      const order = orderFrom(request.body);
      const made = await createPayout(parts, { ...parts.callerOf(request), idempotencyKey, order });
      if (made.kind === 'replayed')
        return reply.header('idempotent-replayed', 'true').code(200).send(payoutBody(made.payout));
      const { payout, cost } = made;
      const quote = quoteBody({ amount: payout.amount, rate: payout.rate, cost });
      return reply.code(201).send({ ...payoutBody(payout), quote });
    },
  );
}

function addReadRoutes(app: Server, parts: PayoutRouteParts): void {
  const list = {
    operationId: 'listPayouts',
    summary: 'The newest payouts',
    tags: ['Payouts'],
    querystring: ListQuery,
    response: { 200: PayoutList.ref, ...errors(401, 422) },
  };
  app.get('/v1/payouts', { schema: list, onRequest: parts.requireKey }, async (request) => {
    const payouts = await listShownPayouts(parts.calls, parts.callerOf(request), Number(request.query.limit ?? 50));
    return { object: 'list' as const, data: payouts.map(payoutBody) };
  });
  const one = {
    operationId: 'getPayout',
    summary: 'One payout as it is now',
    tags: ['Payouts'],
    params: PayoutPath,
    querystring: Query,
    response: { 200: PayoutSchema.ref, ...errors(401, 404) },
  };
  app.get('/v1/payouts/:id', { schema: one, onRequest: parts.requireKey }, async (request) =>
    payoutBody(await parts.payouts.show({ ...parts.callerOf(request), payoutId: request.params.id })),
  );
}

function addCancelRoute(app: Server, parts: PayoutRouteParts): void {
  const schema = {
    operationId: 'cancelPayout',
    summary: 'Stop a payout, where the bank still can',
    description: 'Safe to repeat. A payout is cancelled only once the bank says so.',
    tags: ['Payouts'],
    params: PayoutPath,
    querystring: Query,
    response: { 200: PayoutSchema.ref, ...errors(401, 404, 409, 503) },
  };
  app.post('/v1/payouts/:id/cancel', { schema, onRequest: parts.requireKey }, async (request) =>
    payoutBody(await cancelPayout(parts, parts.callerOf(request), request.params.id)),
  );
}

function addBalanceRoute(app: Server, parts: PayoutRouteParts): void {
  const schema = {
    operationId: 'getBalance',
    summary: 'What the wallet holds',
    tags: ['Account'],
    querystring: Query,
    response: { 200: BalanceSchema.ref, ...errors(401, 403, 502) },
  };
  app.get('/v1/balance', { schema, onRequest: parts.requireKey }, async (request) =>
    balanceBody(await readBalance(parts, parts.callerOf(request))),
  );
}
