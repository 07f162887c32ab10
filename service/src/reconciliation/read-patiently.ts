import type { Comparing } from './deps.ts';

const tries = 4;
const pauseMs = 1_000;

/** Of ten thousand pages a bank fails with some. A few tries keep that from costing all of them; null where they are in vain. */
export async function readPatiently<Answer>(
  { pause, signal }: Pick<Comparing, 'pause' | 'signal'>,
  read: () => Promise<Answer | null>,
): Promise<Answer | null> {
  for (let n = 0; n < tries; n += 1) {
    signal?.throwIfAborted();
    if (n > 0) await pause(pauseMs * n);
    const answer = await read();
    if (answer !== null) return answer;
  }
  return null;
}
