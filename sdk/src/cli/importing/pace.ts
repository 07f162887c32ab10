import { pause } from '../interruption.ts';

/** Lets so many through per second, and none while it is told to hold. */
export interface Pace {
  /** False once it is interrupted. */
  turn(signal: AbortSignal): Promise<boolean>;
  hold(ms: number): void;
}

export function createPace(perSecond: number, now: () => number = () => performance.now()): Pace {
  let nextAt = now();
  return {
    async turn(signal) {
      const at = Math.max(now(), nextAt);
      nextAt = at + 1_000 / perSecond;
      return pause(Math.max(0, at - now()), signal);
    },
    hold(ms) {
      nextAt = Math.max(nextAt, now() + ms);
    },
  };
}
