import { Type } from 'typebox';
import type { Authentication } from '../../http/auth/authentication.ts';
import { originOf } from '../../http/auth/origin.ts';
import { bodyErrors, keyedErrors } from '../../http/errors/responses.ts';
import { ConfirmRequest } from '../../http/schema/confirm-code.ts';
import { exampleValues } from '../../http/schema/example-values.ts';
import { environmentQuery, listExample, listOf, oneOf, Query } from '../../http/schema/fields.ts';
import { cursorField, limitField } from '../../http/schema/list-query.ts';
import { nextLink, nextLinkHeader } from '../../http/schema/next-link.ts';
import { patterns } from '../../http/schema/patterns.ts';
import { PayoutRequestSchema, payoutRequestExample } from '../../http/schema/payout-request.ts';
import { addSchema, nameSchema } from '../../http/schema/schemas.ts';
import type { Server } from '../../http/server.ts';
import { inReadOnlyTransaction } from '../../platform/database/transaction.ts';
import { lastId } from '../../platform/ids.ts';
import { approveRequest, declineRequest, getRequest, type DecideDeps } from '../approvals/approve-request.ts';
import { payoutRequestBody, requestStates } from '../model/payout-request.ts';
import { listRequests } from '../records/payout-request-store.ts';

const PayoutRequestList = nameSchema(
  'PayoutRequestList',
  listOf(PayoutRequestSchema.ref, { description: 'Payout requests, newest first.' }),
);

const RequestPath = Type.Object({
  id: Type.String({
    pattern: patterns.uuid,
    description: 'The id of the payout request.',
    examples: [exampleValues.payoutRequestId],
  }),
});

const ListQuery = Type.Object(
  {
    ...environmentQuery,
    status: Type.Optional(oneOf(requestStates, { description: 'Only those with this status.', examples: ['open'] })),
    limit: limitField(),
    cursor: cursorField(patterns.uuid, exampleValues.payoutRequestId),
  },
  { additionalProperties: false },
);

interface PayoutRequestDeps extends Authentication, DecideDeps {
  publicUrl: string;
}

/** How events show a payout request. */
export const shownPayoutRequest = { schema: PayoutRequestSchema.ref, example: payoutRequestExample };

export function addPayoutRequestRoutes(app: Server, deps: PayoutRequestDeps): void {
  addSchema(app, PayoutRequestSchema, payoutRequestExample);
  addSchema(app, PayoutRequestList, listExample(payoutRequestExample));
  addListRoute(app, deps);
  addReadRoute(app, deps);
  addApproveRoute(app, deps);
  addDeclineRoute(app, deps);
}

function addListRoute(app: Server, deps: PayoutRequestDeps): void {
  const schema = {
    operationId: 'listPayoutRequests',
    summary: 'List payout requests',
    description:
      'Returns the payouts that wait for approval by another admin, and what was decided. Kept for 25 months.',
    tags: ['Approvals'],
    querystring: ListQuery,
    response: {
      200: { ...PayoutRequestList.ref, headers: { Link: nextLinkHeader } },
      ...keyedErrors('invalid_request'),
    },
  };
  const config = { action: 'payout_request.list', access: 'readers' } as const;
  app.get('/v1/payout-requests', { schema, config, onRequest: deps.requireCaller }, async (request, reply) => {
    const { query } = request;
    const caller = deps.callerOf(request);
    const { partnerId, environment } = caller;
    const of = { partnerId, environment };
    const limit = Number(query.limit ?? 50);
    // One more than is asked for: it tells whether there is a next page.
    const page = { state: query.status ?? null, before: query.cursor ?? lastId, limit: limit + 1 };
    const found = await inReadOnlyTransaction(deps.pool, of, async (tx) => listRequests(tx, of, page));
    const requests = found.slice(0, limit);
    const cursor = found.length > limit ? requests.at(-1)?.id : undefined;
    const address = `${deps.publicUrl}/v1/payout-requests`;
    if (cursor !== undefined) reply.header('link', nextLink(address, { query, caller, cursor }));
    return { object: 'list' as const, data: requests.map(payoutRequestBody) };
  });
}

function addReadRoute(app: Server, deps: PayoutRequestDeps): void {
  const schema = {
    operationId: 'getPayoutRequest',
    summary: 'Retrieve a payout request',
    description: 'Returns a payout that waits for approval, or what was decided.',
    tags: ['Approvals'],
    params: RequestPath,
    querystring: Query,
    response: { 200: PayoutRequestSchema.ref, ...keyedErrors('not_found') },
  };
  const config = { action: 'payout_request.get', access: 'readers' } as const;
  app.get('/v1/payout-requests/:id', { schema, config, onRequest: deps.requireCaller }, async (request) => {
    const { partnerId, environment } = deps.callerOf(request);
    const { id } = request.params;
    return payoutRequestBody(
      await inReadOnlyTransaction(deps.pool, { partnerId, environment }, async (tx) => getRequest(tx, id)),
    );
  });
}

function addApproveRoute(app: Server, deps: PayoutRequestDeps): void {
  const schema = {
    operationId: 'approvePayoutRequest',
    summary: 'Approve a payout request',
    description:
      'Creates the payout, with the exchange rate, funds and limits of now. A live one is confirmed with an emailed code. If the payout is refused, you get that error and the request stays open. The admin who asked for the payout, or who created the API key that did, cannot approve it. Safe to retry: an approved request is returned as it is.',
    tags: ['Approvals'],
    params: RequestPath,
    querystring: Query,
    body: ConfirmRequest.ref,
    response: {
      200: PayoutRequestSchema.ref,
      ...bodyErrors(
        'not_found',
        'second_admin_required',
        'payout_request_closed',
        'payout_request_void',
        'confirmation_required',
        'invalid_confirm_code',
        'insufficient_funds',
        'partner_not_active',
        'recipient_account_rejected',
        'limit_exceeded',
        'payout_not_created',
        'invalid_request',
      ),
    },
  };
  const config = { action: 'payout_request.approve', access: 'admins', bodyIsOptional: true } as const;
  app.post('/v1/payout-requests/:id/approve', { schema, config, onRequest: deps.requireCaller }, async (request) => {
    const { partnerId, environment, by, callerId: sessionId } = deps.callerOf(request);
    const admin = { partnerId, environment, by, sessionId, requestId: request.id, origin: originOf(request) };
    const { id } = request.params;
    return payoutRequestBody(await approveRequest(deps, admin, { id, code: request.body.confirm_code }));
  });
}

function addDeclineRoute(app: Server, deps: PayoutRequestDeps): void {
  const schema = {
    operationId: 'declinePayoutRequest',
    summary: 'Decline a payout request',
    description:
      'Ends the request: its Idempotency-Key creates no payout any more. An admin can also decline a payout that they asked for. Safe to retry.',
    tags: ['Approvals'],
    params: RequestPath,
    querystring: Query,
    response: { 200: PayoutRequestSchema.ref, ...bodyErrors('not_found', 'payout_request_closed') },
  };
  const config = { action: 'payout_request.decline', access: 'admins' } as const;
  app.post('/v1/payout-requests/:id/decline', { schema, config, onRequest: deps.requireCaller }, async (request) => {
    const { partnerId, environment, by, callerId: sessionId } = deps.callerOf(request);
    const admin = { partnerId, environment, by, sessionId, requestId: request.id, origin: originOf(request) };
    return payoutRequestBody(await declineRequest(deps, admin, request.params.id));
  });
}
