import { setTimeout as wait } from 'node:timers/promises';
import { Disturbed, type Counted, type Window } from './completions.ts';
import type { ProcessorTime } from './processor-time.ts';

/** Something that goes on until it is told to end; then it says what was done in the window. */
export interface Running {
  /** When every client has connected, and what happens only at first is over. */
  begun(): Promise<void>;
  finish(window: Window): Promise<Counted>;
}

/** How long a slice is, once every client has begun. The first of it is not measured. */
export interface Timing {
  warmMs: number;
  windowMs: number;
}

/** One measure, taken once. */
export interface Slice {
  tps: number;
  p50Ms: number;
  p99Ms: number;
  /** A piece. */
  pgMicroseconds: number;
  nodeMicroseconds: number;
}

const mostTries = 3;

/** Takes a slice again if the machine stalled during it, and says so on standard error. */
export async function measureSlice(
  start: () => Running,
  timing: Timing,
  readTime: () => ProcessorTime,
): Promise<Slice> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await takeSlice(start, timing, readTime);
    } catch (error) {
      if (!(error instanceof Disturbed) || tries === mostTries) throw error;
      console.error(`Taken again, because ${error.message}.`);
    }
  }
}

async function takeSlice(start: () => Running, timing: Timing, readTime: () => ProcessorTime): Promise<Slice> {
  const running = start();
  await running.begun();
  await wait(timing.warmMs);
  const fromMs = Date.now();
  const before = readTime();
  await wait(timing.windowMs);
  const toMs = Date.now();
  const after = readTime();
  const { inWindow, p50Ms, p99Ms } = await running.finish({ fromMs, toMs });
  return {
    tps: (inWindow * 1000) / (toMs - fromMs),
    p50Ms,
    p99Ms,
    pgMicroseconds: (after.pgMicroseconds - before.pgMicroseconds) / inWindow,
    nodeMicroseconds: (after.nodeMicroseconds - before.nodeMicroseconds) / inWindow,
  };
}
