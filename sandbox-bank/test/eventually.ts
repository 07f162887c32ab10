import { setTimeout as wait } from 'node:timers/promises';

const pollMs = 25;

/** Waits for a condition, with a deadline. */
export async function eventually(what: string, look: () => Promise<boolean>, timeoutMs = 10_000): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await look())) {
    if (performance.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${what}`);
    await wait(pollMs);
  }
}
