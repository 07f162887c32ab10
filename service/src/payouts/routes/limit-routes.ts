import { Type, type Static } from 'typebox';
import type { Authentication } from '../../http/auth/authentication.ts';
import { keyedErrors } from '../../http/errors/responses.ts';
import { exampleValues } from '../../http/schema/example-values.ts';
import { dateTime, Environment, money, nullableInstant, nullableText, Query, uuid } from '../../http/schema/fields.ts';
import { patterns } from '../../http/schema/patterns.ts';
import { addSchema, nameSchema } from '../../http/schema/schemas.ts';
import type { Server } from '../../http/server.ts';
import { formatPounds, type Pence } from '../../money/amounts.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Pool } from '../../platform/database/pool.ts';
import { inReadOnlyTransaction, type PartnerContext } from '../../platform/database/transaction.ts';
import { leftOf, readLimits, type LimitsToday } from '../spending/read-limits.ts';

const nullableMoney = (description: string) => nullableText({ pattern: patterns.money, description });

const KeyLimit = Type.Object(
  {
    id: uuid('The id of the key.'),
    key_prefix: Type.String({ description: 'The start of the key, by which people tell keys apart.' }),
    limit_gbp: nullableMoney('The daily limit of the key, in pounds. Null if it has none of its own.'),
    spent_gbp: money('What the key created today, in pounds.'),
    left_gbp: nullableMoney('What is left of its limit, in pounds.'),
    full_limit_at: nullableInstant({
      description: 'Until then the key is new, and its limit is at most 1,000.00. Null if its full limit holds.',
    }),
  },
  { description: 'The limit of one API key.' },
);

export const Limits = nameSchema(
  'Limits',
  Type.Object(
    {
      object: Type.Literal('limits', { description: 'Always `limits`.' }),
      environment: Environment,
      daily: Type.Object(
        {
          limit_gbp: nullableMoney('The limit of the account per day, in pounds. Null if there is none.'),
          spent_gbp: money(
            'What counts toward it today, in pounds. In sandbox, payouts count from when a limit is set.',
          ),
          left_gbp: nullableMoney('What is left today, in pounds.'),
          resets_at: dateTime('When the day ends: midnight in London.'),
        },
        { description: 'The daily limit of the account.' },
      ),
      new_payee: Type.Object(
        { limit_gbp: nullableMoney('The limit per day and account, in pounds. Null if there is none.') },
        { description: 'The daily limit for an account that no payout was completed to before.' },
      ),
      highest_daily_limit_gbp: nullableMoney(
        'How far an admin can raise both limits, in pounds. Contact support to raise it. Null if there is no bound.',
      ),
      keys: Type.Array(KeyLimit, { description: 'The API keys that can pay.' }),
    },
    { description: 'The daily limits on payouts, and what was spent of them today.' },
  ),
);

const poundsOrNull = (amount: Pence | null): string | null => (amount === null ? null : formatPounds(amount));

function limitsBody(
  environment: PartnerContext['environment'],
  { daily, newPayee, highest, spent, resetsAt, keys }: LimitsToday,
): Static<typeof Limits.definition> {
  return {
    object: 'limits',
    environment,
    daily: {
      limit_gbp: poundsOrNull(daily),
      spent_gbp: formatPounds(spent),
      left_gbp: poundsOrNull(leftOf(daily, spent)),
      resets_at: resetsAt.toISOString(),
    },
    new_payee: { limit_gbp: poundsOrNull(newPayee) },
    highest_daily_limit_gbp: poundsOrNull(highest),
    keys: keys.map((key) => ({
      id: key.id,
      key_prefix: key.prefix,
      limit_gbp: poundsOrNull(key.limit),
      spent_gbp: formatPounds(key.spent),
      left_gbp: poundsOrNull(leftOf(key.limit, key.spent)),
      full_limit_at: key.fullLimitAt?.toISOString() ?? null,
    })),
  };
}

const exampleLimits: LimitsToday = {
  daily: 5_000_000n,
  newPayee: 2_000_000n,
  highest: 5_000_000n,
  spent: 1_225_000n,
  resetsAt: new Date('2026-11-17T00:00:00Z'),
  keys: [
    {
      id: exampleValues.keyId,
      prefix: exampleValues.keyPrefix,
      limit: 100_000n,
      spent: 25_000n,
      fullLimitAt: new Date('2026-11-17T09:30:00Z'),
    },
  ],
};

interface LimitRouteDeps extends Authentication {
  pool: Pool;
  clock: Clock;
}

export async function readLimitsBody(
  { pool, clock }: Pick<LimitRouteDeps, 'pool' | 'clock'>,
  { partnerId, environment }: PartnerContext,
): Promise<Static<typeof Limits.definition>> {
  const of = { partnerId, environment };
  const limits = await inReadOnlyTransaction(pool, of, async (tx) => readLimits(tx, of, clock.now()));
  return limitsBody(environment, limits);
}

export function addLimitRoutes(app: Server, deps: LimitRouteDeps): void {
  addSchema(app, Limits, limitsBody('live', exampleLimits));
  const schema = {
    operationId: 'getLimits',
    summary: 'Retrieve limits',
    description:
      'Returns the daily limits on payouts and what is left of them today. Days begin at midnight in London. A payout that exceeds a limit is refused with `limit_exceeded`.',
    tags: ['Account'],
    querystring: Query,
    response: { 200: Limits.ref, ...keyedErrors() },
  };
  const config = { action: 'limits.get', access: 'readers' } as const;
  app.get('/v1/limits', { schema, config, onRequest: deps.requireCaller }, async (request) =>
    readLimitsBody(deps, deps.callerOf(request)),
  );
}
