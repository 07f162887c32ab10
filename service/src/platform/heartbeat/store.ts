import type { Call, SingleCalls } from '../database/single-call.ts';

const compareCall: Call = { name: 'compare_heartbeat', text: 'select * from kelpie.compare_heartbeat($1, $2)' };
const raiseCall: Call = {
  name: 'raise_heartbeat',
  text: 'select * from kelpie.raise_heartbeat($1, $2, $3)',
  writes: true,
};

/** The database's number, and whether it is behind the anchor. If it is, live is closed by now. */
export async function compareHeartbeat(
  calls: SingleCalls,
  { anchored, at }: { anchored: bigint; at: Date },
): Promise<{ number: bigint; isBehind: boolean }> {
  const [row] = await calls.call<{ number: string; is_behind: boolean }>(compareCall, [anchored.toString(), at]);
  if (row === undefined) throw new Error('the database has no heartbeat');
  return { number: BigInt(row.number), isBehind: row.is_behind };
}

export interface Raised {
  number: bigint;
  /** `not_due`: another worker raised it just now. */
  outcome: 'raised' | 'not_due' | 'behind';
}

export async function raiseHeartbeat(
  calls: SingleCalls,
  { anchored, at, everyMs }: { anchored: bigint; at: Date; everyMs: number },
): Promise<Raised> {
  const values = [anchored.toString(), at, `${everyMs} milliseconds`];
  const [row] = await calls.call<{ number: string; outcome: Raised['outcome'] }>(raiseCall, values);
  if (row === undefined) throw new Error('the database has no heartbeat');
  return { number: BigInt(row.number), outcome: row.outcome };
}
