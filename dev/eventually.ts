import { setTimeout as wait } from 'node:timers/promises';

const shortestPauseMs = 25;
const longestPauseMs = 250;

/** Longer the longer it takes: who waits for seconds must not keep the machine from what it waits for. */
function pauseAfter(waitedMs: number): number {
  return Math.min(longestPauseMs, Math.max(shortestPauseMs, waitedMs / 8));
}

/** Waits for a condition, with a deadline: the answer once it is neither false nor undefined. */
export async function eventually<Answer>(
  what: string,
  look: () => Promise<Answer | false | undefined>,
  timeoutMs = 30_000,
): Promise<Answer> {
  const startedAt = performance.now();
  for (;;) {
    const answer = await look();
    if (answer !== false && answer !== undefined) return answer;
    const waitedMs = performance.now() - startedAt;
    if (waitedMs > timeoutMs) throw new Error(`not within ${timeoutMs} ms: ${what}`);
    await wait(pauseAfter(waitedMs));
  }
}
