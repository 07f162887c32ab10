import { Type } from 'typebox';
import type { Authentication } from '../../http/auth/authentication.ts';
import { listExample, listOf, money, nullableInstant, Query } from '../../http/schema/fields.ts';
import { keyedErrors } from '../../http/errors/responses.ts';
import { addSchema, nameSchema } from '../../http/schema/schemas.ts';
import type { Server } from '../../http/server.ts';
import { formatPounds } from '../../money/amounts.ts';
import type { Clock } from '../../platform/clock.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import { countedCache, createTtlCache, partnerKey } from '../../platform/ttl-cache.ts';
import { readDailyVolume, type DailyVolume } from '../reading/daily-volume.ts';
import { usageDay } from './examples.ts';

const UsageDay = nameSchema(
  'UsageDay',
  Type.Object(
    {
      date: Type.String({ format: 'date', description: 'The day, in London time.' }),
      completed: Type.Integer({ description: 'Payouts that were completed on this day.' }),
      paid_gbp: money('What their recipients received, in pounds.'),
      failed: Type.Integer({ description: 'Payouts created on this day that failed or were returned.' }),
    },
    { description: 'The payouts of one day.' },
  ),
);
const UsageDayList = nameSchema(
  'UsageDayList',
  Type.Object(
    {
      ...listOf(UsageDay.ref).properties,
      counted_since: nullableInstant({
        description:
          'Null if every payout of these days is counted. Otherwise there are too many to count: payouts created before this time are left out, and the first day is incomplete.',
      }),
    },
    { description: 'Daily volume, oldest day first.' },
  ),
);

/** Where there is much to count, counting is work, and a chart of days need not be newer than this. */
const longMemory = { keepMs: 60_000, most: 10_000 };
const muchToCount = 20_000;

function isMuch({ days }: DailyVolume): boolean {
  return days.reduce((sum, { completed, failed }) => sum + completed + failed, 0) > muchToCount;
}

interface DailyDeps extends Authentication {
  calls: SingleCalls;
  clock: Clock;
}

export function addDailyRoutes(app: Server, { calls, clock, requireCaller, callerOf }: DailyDeps): void {
  addSchema(app, UsageDay, usageDay);
  addSchema(app, UsageDayList, { ...listExample(usageDay), counted_since: null });
  const cache = createTtlCache<DailyVolume>(countedCache);
  const memoryOfMuch = createTtlCache<DailyVolume>(longMemory);
  const schema = {
    operationId: 'listUsageDays',
    summary: 'List daily volume',
    description: 'Returns the payouts of the last 30 days, one entry per day in London time.',
    tags: ['Billing'],
    querystring: Query,
    response: { 200: UsageDayList.ref, ...keyedErrors() },
  };
  const config = { action: 'usage.days', access: 'readers' } as const;
  app.get('/v1/usage/days', { schema, config, onRequest: requireCaller }, async (request) => {
    const caller = callerOf(request);
    const key = partnerKey(caller);
    const count = async (): Promise<DailyVolume> =>
      cache.get(key, async () => readDailyVolume(calls, caller, clock.now()));
    const volume = await memoryOfMuch.get(key, count);
    if (!isMuch(volume)) memoryOfMuch.forget(key);
    const { days, countedSince } = volume;
    return {
      object: 'list' as const,
      data: days.map(({ date, completed, paid, failed }) => ({
        date,
        completed,
        paid_gbp: formatPounds(paid),
        failed,
      })),
      counted_since: countedSince?.toISOString() ?? null,
    };
  });
}
