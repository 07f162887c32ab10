import { setTimeout as delay } from 'node:timers/promises';
import { KelpieError, KelpieUnreachable, type Kelpie, type Payout } from '../index.ts';
import { CommandError } from './command-error.ts';

const longestWaitSeconds = 20;
const pauseMs = 500;

function isFinal({ status }: Payout): boolean {
  return ['completed', 'failed', 'cancelled', 'returned'].includes(status);
}

/** What passes by itself does not end the waiting. */
function mayPass(error: unknown): boolean {
  if (error instanceof KelpieUnreachable) return true;
  return error instanceof KelpieError && (error.status === 429 || error.status >= 500);
}

/** The payout once it is final. If the time ends before, the payout goes on all the same. */
export async function waitForPayout(kelpie: Kelpie, id: string, timeoutSeconds: number): Promise<Payout> {
  const endsAt = performance.now() + timeoutSeconds * 1_000;
  for (;;) {
    const leftSeconds = Math.max(0, (endsAt - performance.now()) / 1_000);
    const wait = Math.min(longestWaitSeconds, Math.floor(leftSeconds));
    const payout = await kelpie.payouts.get(id, { wait }).catch((error: unknown) => {
      if (mayPass(error) && leftSeconds > 0) return undefined;
      throw error;
    });
    if (payout !== undefined && isFinal(payout)) return payout;
    if (leftSeconds === 0) {
      const message = `The payout ${id} is still ${payout?.status ?? 'unknown'} after ${timeoutSeconds} s. Continue with \`kelpie payouts get ${id} --wait\`.`;
      throw new CommandError('again', 'not_final', message, { payout });
    }
    // An answer can come at once without a change, while an api process stops.
    await delay(pauseMs);
  }
}
