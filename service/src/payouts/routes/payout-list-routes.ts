import { Type, type Static } from 'typebox';
import type { Authentication } from '../../http/auth/authentication.ts';
import { environmentQuery, oneOf } from '../../http/schema/fields.ts';
import { createdFields, createdFrom, cursorField, limitField } from '../../http/schema/list-query.ts';
import { nextLink, nextLinkHeader } from '../../http/schema/next-link.ts';
import { patterns } from '../../http/schema/patterns.ts';
import { keyedErrors } from '../../http/errors/responses.ts';
import type { Server } from '../../http/server.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import { listPayouts, type PayoutFilters } from '../reading/list-payouts.ts';
import type { ShownPayout } from '../model/payout.ts';
import { PayoutList } from './schemas.ts';
import { payoutBody } from './wire-form.ts';

/** The filters of the list, which the export has too. */
export const payoutFilters = {
  status: Type.Optional(
    Type.String({
      pattern: patterns.payoutStatuses,
      maxLength: 80,
      description: 'One status, or several separated by commas.',
      examples: ['pending,processing'],
    }),
  ),
  ...createdFields('Made'),
  reference: Type.Optional(Type.String({ minLength: 1, maxLength: 120, pattern: patterns.anyText })),
  account_last4: Type.Optional(Type.String({ pattern: patterns.fourDigits })),
  created_via: Type.Optional(oneOf(['api', 'dashboard'])),
};

const ListQuery = Type.Object(
  {
    ...environmentQuery,
    limit: limitField(),
    cursor: cursorField(patterns.uuid),
    ...payoutFilters,
    idempotency_key: Type.Optional(Type.String({ pattern: patterns.idempotencyKey })),
  },
  // A filter that is misspelt would show what was not asked for.
  { additionalProperties: false },
);
type ListQuery = Static<typeof ListQuery>;

const states: readonly ShownPayout['state'][] = [
  'pending',
  'processing',
  'completed',
  'failed',
  'cancelled',
  'returned',
];

function statesFrom(list: string): ShownPayout['state'][] {
  const words = list.split(',');
  return states.filter((state) => words.includes(state));
}

export function filtersFrom(query: Omit<ListQuery, 'limit' | 'cursor' | 'environment'>): PayoutFilters {
  const createdVia = (['api', 'dashboard'] as const).find((via) => via === query.created_via);
  return {
    ...(query.status === undefined ? {} : { states: statesFrom(query.status) }),
    ...createdFrom(query),
    ...(query.reference === undefined ? {} : { reference: query.reference }),
    ...(query.idempotency_key === undefined ? {} : { idempotencyKey: query.idempotency_key }),
    ...(query.account_last4 === undefined ? {} : { accountLast4: query.account_last4 }),
    ...(createdVia === undefined ? {} : { createdVia }),
  };
}

interface ListDeps extends Authentication {
  calls: SingleCalls;
  publicUrl: string;
}

export function addPayoutListRoutes(app: Server, { calls, publicUrl, requireCaller, callerOf }: ListDeps): void {
  app.addSchema(PayoutList.definition);
  const schema = {
    operationId: 'listPayouts',
    summary: 'Your payouts, newest first',
    description:
      'One request looks at 20,000 payouts at most: where a filter fits few, a page can be short, or empty, and still have a next one. Follow `Link` until there is none. With `idempotency_key`, nothing found means that no payout was made under it so far; while one is being made, the answer is 409 `idempotency_key_in_use`.',
    tags: ['Payouts'],
    querystring: ListQuery,
    response: {
      200: { ...PayoutList.ref, headers: { Link: nextLinkHeader } },
      ...keyedErrors('invalid_request', 'idempotency_key_in_use'),
    },
  };
  const config = { action: 'payout.list', access: 'readers' } as const;
  app.get('/v1/payouts', { schema, config, onRequest: requireCaller }, async (request, reply) => {
    const { query } = request;
    const caller = callerOf(request);
    const { payouts, cursor } = await listPayouts(calls, caller, {
      filters: filtersFrom(query),
      // Ids are compared as texts here and there, and are written small.
      cursor: query.cursor?.toLowerCase() ?? null,
      limit: Number(query.limit ?? 50),
    });
    if (cursor !== null) reply.header('link', nextLink(`${publicUrl}/v1/payouts`, { query, caller, cursor }));
    return { object: 'list' as const, data: payouts.map(payoutBody) };
  });
}
