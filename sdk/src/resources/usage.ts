import type { Calls, Reading } from '../calls.ts';
import type { Schema } from '../described-api.ts';
import type { CallOptions } from '../request.ts';

export interface Usage extends Schema<'Usage'> {}
export interface UsageDay extends Schema<'UsageDay'> {}
export interface UsageDayList extends Schema<'UsageDayList'> {}

/** This month so far. */
export interface UsageResource extends Reading<Usage> {
  /** The last 30 days, the oldest first. */
  listDays(options?: CallOptions): Promise<UsageDayList>;
}

export default function createUsage({ call, reading }: Calls): UsageResource {
  return {
    ...reading('/v1/usage'),
    listDays: async (options) => (await call('get', '/v1/usage/days', { ...options })).json,
  };
}
