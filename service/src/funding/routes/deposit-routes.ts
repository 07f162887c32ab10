import { Type, type Static } from 'typebox';
import type { Authentication } from '../../http/auth/authentication.ts';
import {
  Environment,
  environmentQuery,
  Id,
  Instant,
  listOf,
  nullableInstant,
  nullableObject,
  nullableText,
  oneOf,
} from '../../http/schema/fields.ts';
import { createdFields, createdFrom, cursorField, limitField } from '../../http/schema/list-query.ts';
import { nextLink, nextLinkHeader } from '../../http/schema/next-link.ts';
import { patterns } from '../../http/schema/patterns.ts';
import { keyedErrors } from '../../http/errors/responses.ts';
import { nameSchema } from '../../http/schema/schemas.ts';
import type { Server } from '../../http/server.ts';
import { formatPounds, formatUsdc } from '../../money/amounts.ts';
import { rateAsNumber } from '../../money/rates.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import type { PartnerContext } from '../../platform/database/transaction.ts';
import { instantOf } from '../../platform/ids.ts';
import type { Encryptor } from '../../platform/encryption.ts';
import type { DepositState } from '../deposit.ts';
import { listDeposits, type DepositFilters, type ListedDeposit } from '../list-deposits.ts';

const nullableMoney = (description: string) =>
  nullableText({ pattern: patterns.money, examples: ['124.69'], description });

const Sender = Type.Object({
  name: nullableText(),
  account_last4: nullableText(),
  address: nullableText({ description: 'Where USDC came from.' }),
  reference: nullableText({ description: 'What the sender wrote with it.' }),
});

const DepositSchema = nameSchema(
  'Deposit',
  Type.Object(
    {
      id: Id,
      object: Type.Literal('deposit'),
      environment: Environment,
      status: oneOf(['pending', 'credited', 'refunded', 'reversed'], {
        description:
          'pending: on its way; credited: in your wallet; refunded: sent back before it was; reversed: taken from your wallet again.',
      }),
      method: oneOf(['bank_transfer', 'usdc']),
      amount_usdc: nullableMoney('What it brings to your wallet, net of the fee; null while that is not known.'),
      fee_usdc: nullableMoney('What the bank kept of it.'),
      sent_gbp: nullableMoney('What was sent by bank transfer.'),
      gbp_per_usd: Type.Unsafe<number | null>({
        type: ['number', 'null'],
        description: 'The rate that pounds were converted at, to six places.',
        examples: [0.8],
      }),
      reversed_usdc: nullableMoney('What was taken back.'),
      sender: nullableObject(Sender, { description: 'Who sent it, as far as the bank says.' }),
      created_at: Instant,
      credited_at: nullableInstant(),
      updated_at: Instant,
    },
    { description: 'A top-up of your wallet.' },
  ),
);

const DepositList = nameSchema('DepositList', listOf(DepositSchema.ref));

const ListQuery = Type.Object(
  {
    ...environmentQuery,
    limit: limitField(),
    cursor: cursorField(patterns.uuid),
    status: Type.Optional(
      Type.String({
        pattern: patterns.depositStatuses,
        maxLength: 60,
        description: 'One status, or several separated by commas.',
        examples: ['pending,credited'],
      }),
    ),
    method: Type.Optional(oneOf(['bank_transfer', 'usdc'])),
    ...createdFields('First seen'),
  },
  // A filter that is misspelt would show what was not asked for.
  { additionalProperties: false },
);
type ListQuery = Static<typeof ListQuery>;

const states: readonly DepositState[] = ['pending', 'credited', 'refunded', 'reversed'];

function filtersFrom(query: ListQuery): DepositFilters {
  const words = query.status?.split(',');
  const method = (['bank_transfer', 'usdc'] as const).find((one) => one === query.method);
  return {
    ...(words === undefined ? {} : { states: states.filter((state) => words.includes(state)) }),
    ...(method === undefined ? {} : { method }),
    ...createdFrom(query),
  };
}

function orNull<Value>(value: Value | null, show: (value: Value) => string): string | null {
  return value === null ? null : show(value);
}

function depositBody(
  { environment }: PartnerContext,
  { deposit, sender }: ListedDeposit,
): Static<typeof DepositSchema.definition> {
  return {
    id: deposit.id,
    object: 'deposit',
    environment,
    status: deposit.state,
    method: deposit.method,
    amount_usdc: orNull(deposit.net, formatUsdc),
    fee_usdc: orNull(deposit.fee, formatUsdc),
    sent_gbp: orNull(deposit.sentPence, formatPounds),
    gbp_per_usd: deposit.rate === null ? null : rateAsNumber(deposit.rate),
    reversed_usdc: orNull(deposit.reversed, formatUsdc),
    sender:
      sender === null
        ? null
        : {
            name: sender.name,
            account_last4: sender.accountLast4,
            address: sender.address,
            reference: sender.reference,
          },
    created_at: instantOf(deposit.id).toISOString(),
    credited_at: orNull(deposit.creditedAt, (at) => at.toISOString()),
    updated_at: deposit.updatedAt.toISOString(),
  };
}

interface ListDeps extends Authentication {
  calls: SingleCalls;
  encryptor: Encryptor;
  publicUrl: string;
}

export function addDepositRoutes(app: Server, deps: ListDeps): void {
  for (const { definition } of [DepositSchema, DepositList]) app.addSchema(definition);
  const schema = {
    operationId: 'listDeposits',
    summary: 'Your top-ups, newest first',
    tags: ['Account'],
    querystring: ListQuery,
    response: { 200: { ...DepositList.ref, headers: { Link: nextLinkHeader } }, ...keyedErrors('invalid_request') },
  };
  const config = { action: 'deposit.list', access: 'readers' } as const;
  app.get('/v1/deposits', { schema, config, onRequest: deps.requireCaller }, async (request, reply) => {
    const { query } = request;
    const caller = deps.callerOf(request);
    const { deposits, cursor } = await listDeposits(deps, caller, {
      filters: filtersFrom(query),
      // Ids are compared as texts here and there, and are written small.
      cursor: query.cursor?.toLowerCase() ?? null,
      limit: Number(query.limit ?? 50),
    });
    if (cursor !== null) reply.header('link', nextLink(`${deps.publicUrl}/v1/deposits`, { query, caller, cursor }));
    return { object: 'list' as const, data: deposits.map((deposit) => depositBody(caller, deposit)) };
  });
}
