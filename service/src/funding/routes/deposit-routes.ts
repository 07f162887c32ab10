import { Type, type Static } from 'typebox';
import type { Authentication } from '../../http/auth/authentication.ts';
import { exampleValues } from '../../http/schema/example-values.ts';
import {
  dateTime,
  Environment,
  environmentQuery,
  listExample,
  listOf,
  nullableInstant,
  nullableObject,
  nullableText,
  oneOf,
  uuid,
} from '../../http/schema/fields.ts';
import { createdFields, createdFrom, cursorField, limitField } from '../../http/schema/list-query.ts';
import { nextLink, nextLinkHeader } from '../../http/schema/next-link.ts';
import { patterns } from '../../http/schema/patterns.ts';
import { keyedErrors } from '../../http/errors/responses.ts';
import { addSchema, nameSchema } from '../../http/schema/schemas.ts';
import type { Server } from '../../http/server.ts';
import { formatPounds, formatUsdc } from '../../money/amounts.ts';
import { rateAsNumber } from '../../money/rates.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import type { PartnerContext } from '../../platform/database/transaction.ts';
import { instantOf } from '../../platform/ids.ts';
import type { Encryptor } from '../../platform/encryption.ts';
import type { DepositState } from '../deposit.ts';
import { listDeposits, type DepositFilters, type ListedDeposit } from '../list-deposits.ts';

const nullableMoney = (description: string) => nullableText({ pattern: patterns.money, description });

const Sender = Type.Object({
  name: nullableText({ description: 'The name of the sender.' }),
  account_last4: nullableText({ description: 'The last four digits of their account number.' }),
  address: nullableText({ description: 'The address that sent the USDC.' }),
  reference: nullableText({ description: 'The payment reference that they used.' }),
});

export const DepositSchema = nameSchema(
  'Deposit',
  Type.Object(
    {
      id: uuid('The id of the top-up.'),
      object: Type.Literal('deposit', { description: 'Always `deposit`.' }),
      environment: Environment,
      status: oneOf(['pending', 'credited', 'refunded', 'reversed'], {
        description:
          '`pending`: being processed. `credited`: in your wallet. `refunded`: sent back before it was credited. `reversed`: taken back out of your wallet.',
      }),
      method: oneOf(['bank_transfer', 'usdc'], { description: 'How it was sent.' }),
      amount_usdc: nullableMoney('What the wallet receives, in USDC, net of the fee. Null until known.'),
      fee_usdc: nullableMoney('The bank fee, in USDC. Null until known.'),
      sent_gbp: nullableMoney('What was sent by bank transfer, in pounds. Null for USDC.'),
      gbp_per_usd: Type.Unsafe<number | null>({
        type: ['number', 'null'],
        description: 'Pounds per US dollar at the conversion, to six decimals. Null for USDC.',
      }),
      reversed_usdc: nullableMoney('What was taken back out of the wallet, in USDC. Null if nothing was.'),
      sender: nullableObject(Sender, { description: 'Who sent it, as far as the bank reports it. Null in events.' }),
      created_at: dateTime('When Kelpie first saw it.'),
      credited_at: nullableInstant({ description: 'When it was credited to the wallet. Null until then.' }),
      updated_at: dateTime('When its status last changed.'),
    },
    { description: 'A top-up of your wallet.' },
  ),
);

/** 800.00 pounds at 0.80, less a fee of 0.25%. */
const exampleDeposit: Static<typeof DepositSchema.definition> = {
  id: '01a1c554-5200-7a10-9c4b-8e2d6f1a5b03',
  object: 'deposit',
  environment: 'sandbox',
  status: 'credited',
  method: 'bank_transfer',
  amount_usdc: '997.50',
  fee_usdc: '2.50',
  sent_gbp: '800.00',
  gbp_per_usd: 0.8,
  reversed_usdc: null,
  sender: { name: exampleValues.business, account_last4: '4321', address: null, reference: 'KELPIE 7F3A9C2B' },
  created_at: '2026-11-10T12:00:00.000Z',
  credited_at: '2026-11-10T12:04:00.000Z',
  updated_at: '2026-11-10T12:04:00.000Z',
};

/** A top-up as events show it: they hold no bank details. */
export const shownDeposit = { schema: DepositSchema.ref, example: { ...exampleDeposit, sender: null } };

const DepositList = nameSchema('DepositList', listOf(DepositSchema.ref, { description: 'Top-ups, newest first.' }));

const ListQuery = Type.Object(
  {
    ...environmentQuery,
    limit: limitField(),
    cursor: cursorField(patterns.uuid, exampleDeposit.id),
    status: Type.Optional(
      Type.String({
        pattern: patterns.depositStatuses,
        maxLength: 60,
        description: 'Top-ups with this status, or one of several separated by commas.',
        examples: ['pending,credited'],
      }),
    ),
    method: Type.Optional(
      oneOf(['bank_transfer', 'usdc'], { description: 'Top-ups sent this way.', examples: ['bank_transfer'] }),
    ),
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

export function depositBody(
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
  addSchema(app, DepositSchema, exampleDeposit);
  addSchema(app, DepositList, listExample(exampleDeposit));
  const schema = {
    operationId: 'listDeposits',
    summary: 'List top-ups',
    description: 'Returns the top-ups of your wallet, newest first. Filters combine.',
    tags: ['Wallet'],
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
