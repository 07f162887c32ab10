import { eventually } from '@kelpie/dev/eventually.ts';
import type { TestDatabase } from './database.ts';
import { countStates } from './invariants.ts';

/** Until every payout is at an end, or waits for a person. */
export async function untilQuiet(
  database: Pick<TestDatabase, 'superuserUrl'>,
  { timeoutMs = 30_000, pending: mayBePending = 0 }: { timeoutMs?: number; pending?: number } = {},
): Promise<void> {
  let last: Record<string, number> = {};
  const look = async (): Promise<boolean> => {
    last = await countStates(database);
    const { sending = 0, pending = 0, processing = 0 } = last;
    return sending + processing + pending === mayBePending;
  };
  await eventually('all payouts are at an end', look, timeoutMs).catch((error: unknown) => {
    throw new Error(`not quiet: ${JSON.stringify(last)}`, { cause: error });
  });
}
