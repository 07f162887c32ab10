import type { Call, SingleCalls } from '../database/single-call.ts';

const recordCall: Call = {
  name: 'record_retention',
  text: 'select from kelpie.record_retention($1, $2, $3)',
  writes: true,
};

/** Adds a run of a job that forgets to its day: how many rows it removed. */
export async function recordRetention(
  calls: SingleCalls,
  { name }: { readonly name: string },
  { removed, at }: { removed: number; at: Date },
): Promise<void> {
  await calls.call(recordCall, [name, removed, at]);
}
