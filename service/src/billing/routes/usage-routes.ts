import { Type } from 'typebox';
import type { Authentication } from '../../http/auth/authentication.ts';
import { money, Query } from '../../http/schema/fields.ts';
import { keyedErrors } from '../../http/errors/responses.ts';
import { addSchema, nameSchema } from '../../http/schema/schemas.ts';
import type { Server } from '../../http/server.ts';
import { formatPounds } from '../../money/amounts.ts';
import type { Clock } from '../../platform/clock.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import { monthOf } from '../../platform/london-month.ts';
import { countedCache, createTtlCache, partnerKey } from '../../platform/ttl-cache.ts';
import { readMonthSoFar, type MonthSoFar } from '../month-so-far.ts';
import { usageExample } from './examples.ts';

const UsageSchema = nameSchema(
  'Usage',
  Type.Object(
    {
      object: Type.Literal('usage', { description: 'Always `usage`.' }),
      period_start: Type.String({ format: 'date', description: 'The first day of the month.' }),
      payouts: Type.Object(
        {
          count: Type.Integer({ description: 'Payouts created in the month.' }),
          completed: Type.Integer({
            description: 'Payouts completed in the month. The amounts below cover only these.',
          }),
          paid_to_sellers_gbp: money('What recipients received, in pounds.'),
          fees_gbp: money('The fees of these payouts, in pounds. In sandbox: what they would cost.'),
        },
        { description: 'The payouts of the month.' },
      ),
      invoice_so_far: Type.Object(
        {
          lines: Type.Array(
            Type.Object({
              kind: Type.String({ description: 'The kind of charge, as on an invoice. A `credit` is subtracted.' }),
              amount_gbp: money('The amount, in pounds.'),
            }),
            { description: 'One line per kind of charge.' },
          ),
          total_gbp: money('The total, in pounds.'),
          carried_over_gbp: money('Credit left over, in pounds. Once the account is closed, we owe it to you.'),
        },
        { description: 'The next invoice as it stands. Empty in sandbox, which is never charged.' },
      ),
    },
    { description: 'The month so far, in London time.' },
  ),
);

interface UsageDeps extends Authentication {
  calls: SingleCalls;
  clock: Clock;
}

export function addUsageRoutes(app: Server, { calls, clock, requireCaller, callerOf }: UsageDeps): void {
  addSchema(app, UsageSchema, usageExample);
  const cache = createTtlCache<MonthSoFar>(countedCache);
  const usageSchema = {
    operationId: 'getUsage',
    summary: 'Retrieve usage',
    description: 'Returns the payouts of this calendar month, and the charges on your next invoice so far.',
    tags: ['Billing'],
    querystring: Query,
    response: { 200: UsageSchema.ref, ...keyedErrors() },
  };
  app.get(
    '/v1/usage',
    { schema: usageSchema, config: { action: 'usage.get', access: 'readers' }, onRequest: requireCaller },
    async (request) => {
      const caller = callerOf(request);
      const now = clock.now();
      // A month that has just begun is not that of a moment ago.
      const key = `${partnerKey(caller)} ${monthOf(now)}`;
      const usage = await cache.get(key, async () => readMonthSoFar(calls, caller, now));
      const { periodStart, created, completed, paid, fees, lines, total, carriedOut } = usage;
      return {
        object: 'usage' as const,
        period_start: periodStart,
        payouts: { count: created, completed, paid_to_sellers_gbp: formatPounds(paid), fees_gbp: formatPounds(fees) },
        invoice_so_far: {
          lines: lines.map(({ kind, amount }) => ({ kind, amount_gbp: formatPounds(amount) })),
          total_gbp: formatPounds(total),
          carried_over_gbp: formatPounds(carriedOut),
        },
      };
    },
  );
}
