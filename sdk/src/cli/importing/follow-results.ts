import { KelpieError, KelpieUnreachable, type Kelpie } from '../../index.ts';
import { pause } from '../interruption.ts';
import type { Pace } from './pace.ts';
import type { RowResult } from './results-file.ts';

const openStatuses: ReadonlySet<string> = new Set(['pending', 'processing']);
const atOnce = 10;
const roundMs = 2_000;

function isPassing(error: unknown): boolean {
  if (error instanceof KelpieUnreachable) return true;
  return error instanceof KelpieError && (error.status === 429 || error.status >= 500);
}

export function isOpen({ status }: RowResult): boolean {
  return openStatuses.has(status);
}

interface Following {
  kelpie: { payouts: Pick<Kelpie['payouts'], 'get'> };
  pace: Pace;
  timeoutSeconds: number;
  onChange: (result: RowResult) => void;
}

/** Asks for every payout that is not final, round by round, until all are or the time ends. How many are still open then. */
export async function followResults(
  { kelpie, pace, timeoutSeconds, onChange }: Following,
  results: readonly RowResult[],
  signal: AbortSignal,
): Promise<number> {
  const open = new Map(results.filter(isOpen).map((result) => [result.key, result]));
  const ending = AbortSignal.any([signal, AbortSignal.timeout(timeoutSeconds * 1_000)]);
  const ask = async (result: RowResult): Promise<void> => {
    if (!(await pace.turn(ending))) return;
    try {
      const { status, failure_code: code } = await kelpie.payouts.get(result.payoutId, { signal: ending });
      if (openStatuses.has(status)) return;
      open.delete(result.key);
      onChange({ ...result, status, error: code ?? '' });
    } catch (error) {
      if (!isPassing(error)) throw error;
    }
  };
  for (let isFirst = true; open.size > 0; isFirst = false) {
    if (!(await pause(isFirst ? 0 : roundMs, ending))) break;
    const left = [...open.values()].values();
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        for (const result of left) await ask(result);
      }),
    );
  }
  return open.size;
}
