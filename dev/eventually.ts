import { setTimeout as wait } from 'node:timers/promises';

const pollMs = 25;

/** Waits for a condition, with a deadline: the answer once it is neither false nor undefined. */
export async function eventually<Answer>(
  what: string,
  look: () => Promise<Answer | false | undefined>,
  timeoutMs = 30_000,
): Promise<Answer> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const answer = await look();
    if (answer !== false && answer !== undefined) return answer;
    if (performance.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${what}`);
    await wait(pollMs);
  }
}
