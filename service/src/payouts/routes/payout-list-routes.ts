import { Type, type Static } from 'typebox';
import type { Authentication } from '../../http/auth/authentication.ts';
import { exampleValues } from '../../http/schema/example-values.ts';
import { environmentQuery, listExample, oneOf } from '../../http/schema/fields.ts';
import { createdFields, createdFrom, cursorField, limitField } from '../../http/schema/list-query.ts';
import { nextLink, nextLinkHeader } from '../../http/schema/next-link.ts';
import { patterns } from '../../http/schema/patterns.ts';
import { keyedErrors } from '../../http/errors/responses.ts';
import { addSchema } from '../../http/schema/schemas.ts';
import type { Server } from '../../http/server.ts';
import type { Archive } from '../../archive/index.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import { listPayouts, type PayoutFilters } from '../reading/list-payouts.ts';
import type { ShownPayout } from '../model/payout.ts';
import type { KnownPayouts } from '../records/known-payouts.ts';
import { payout } from './examples.ts';
import { answerWithPayouts } from './payout-text.ts';
import { PayoutList, statuses } from './schemas.ts';

/** The filters of the list, which the export has too. */
export const payoutFilters = {
  status: Type.Optional(
    Type.String({
      pattern: patterns.payoutStatuses,
      maxLength: 80,
      description: 'Payouts with this status, or one of several separated by commas.',
      examples: ['pending,processing'],
    }),
  ),
  ...createdFields('Created'),
  reference: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 120,
      pattern: patterns.anyText,
      description: 'Payouts with exactly this reference.',
      examples: [exampleValues.reference],
    }),
  ),
  account_last4: Type.Optional(
    Type.String({
      pattern: patterns.fourDigits,
      description: 'Payouts to account numbers that end in these four digits.',
      examples: ['5678'],
    }),
  ),
  created_via: Type.Optional(
    oneOf(['api', 'dashboard'], {
      description: 'Payouts created by API keys, or by dashboard users.',
      examples: ['api'],
    }),
  ),
};

const ListQuery = Type.Object(
  {
    ...environmentQuery,
    limit: limitField(),
    cursor: cursorField(patterns.uuid, exampleValues.payoutId),
    ...payoutFilters,
    idempotency_key: Type.Optional(
      Type.String({
        pattern: patterns.idempotencyKey,
        description: 'The payout that was created with this Idempotency-Key.',
        examples: [exampleValues.idempotencyKey],
      }),
    ),
  },
  // A filter that is misspelt would show what was not asked for.
  { additionalProperties: false },
);
type ListQuery = Static<typeof ListQuery>;

function statesFrom(list: string): ShownPayout['state'][] {
  const words = list.split(',');
  return statuses.filter((status) => words.includes(status));
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
  archive: Archive;
  reads: SingleCalls;
  known: KnownPayouts;
  publicUrl: string;
}

export function addPayoutListRoutes(app: Server, deps: ListDeps): void {
  const { archive, known, publicUrl, requireCaller, callerOf } = deps;
  addSchema(app, PayoutList, listExample(payout));
  const schema = {
    operationId: 'listPayouts',
    summary: 'List payouts',
    description:
      'Returns your payouts, newest first. Filters combine. One request searches at most 20,000 payouts, so a page can be short or empty and still have a next one: follow `Link` until there is none. With `idempotency_key`, an empty list means that the key has created no payout yet.',
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
    // Whoever looks for a key may pay again under another one: the primary decides that.
    const calls = query.idempotency_key === undefined ? deps.reads : deps.calls;
    const { payouts, cursor } = await listPayouts({ calls, archive, known }, caller, {
      filters: filtersFrom(query),
      // Ids are compared as texts here and there, and are written small.
      cursor: query.cursor?.toLowerCase() ?? null,
      limit: Number(query.limit ?? 50),
    });
    if (cursor !== null) reply.header('link', nextLink(`${publicUrl}/v1/payouts`, { query, caller, cursor }));
    return answerWithPayouts(reply, payouts);
  });
}
