import { Type } from 'typebox';
import type { Authentication } from '../../http/auth/authentication.ts';
import { MoneyString, Query } from '../../http/schema/fields.ts';
import { keyedErrors } from '../../http/errors/responses.ts';
import { nameSchema } from '../../http/schema/schemas.ts';
import type { Server } from '../../http/server.ts';
import { formatPounds } from '../../money/amounts.ts';
import type { Clock } from '../../platform/clock.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import { monthOf } from '../../platform/london-month.ts';
import { countedCache, createTtlCache, partnerKey } from '../../platform/ttl-cache.ts';
import { readMonthSoFar, type MonthSoFar } from '../month-so-far.ts';

const UsageSchema = nameSchema(
  'Usage',
  Type.Object(
    {
      object: Type.Literal('usage'),
      period_start: Type.String({ format: 'date' }),
      payouts: Type.Object({
        count: Type.Integer({ description: 'Made in the period.' }),
        completed: Type.Integer({ description: 'Arrived in the period; the sums are of these.' }),
        paid_to_sellers_gbp: MoneyString,
        fees_gbp: MoneyString,
      }),
      invoice_so_far: Type.Object({
        lines: Type.Array(
          Type.Object({
            kind: Type.String({ description: 'As on an invoice: a `credit` is subtracted.' }),
            amount_gbp: MoneyString,
          }),
        ),
        total_gbp: MoneyString,
      }),
    },
    { description: 'The calendar month so far, by the clocks of London. Sandbox is never charged.' },
  ),
);

interface UsageDeps extends Authentication {
  calls: SingleCalls;
  clock: Clock;
}

export function addUsageRoutes(app: Server, { calls, clock, requireCaller, callerOf }: UsageDeps): void {
  app.addSchema(UsageSchema.definition);
  const cache = createTtlCache<MonthSoFar>(countedCache);
  const usageSchema = {
    operationId: 'getUsage',
    summary: 'This month so far',
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
      const { periodStart, created, completed, paid, fees, lines, total } = usage;
      return {
        object: 'usage' as const,
        period_start: periodStart,
        payouts: { count: created, completed, paid_to_sellers_gbp: formatPounds(paid), fees_gbp: formatPounds(fees) },
        invoice_so_far: {
          lines: lines.map(({ kind, amount }) => ({ kind, amount_gbp: formatPounds(amount) })),
          total_gbp: formatPounds(total),
        },
      };
    },
  );
}
