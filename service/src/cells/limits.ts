import type { MoveStep } from './move.ts';

export interface MoveLimits {
  /** How long each step may take. */
  stepMs: Readonly<Record<MoveStep, number>>;
  /** A partner that cannot be moved within this, from the hold to the switch, is given back. */
  heldMs: number;
  /** How long a mover tries again what has to be done: giving back, and what follows the switch. Then another one goes on. */
  againForMs: number;
  pauseMs: number;
}

const minuteMs = 60_000;

/** While requests are held, a step has seconds. A statement of it ends before the step (platform/database/pool.ts). */
export const moveLimits: MoveLimits = {
  stepMs: {
    prepare: minuteMs,
    copy: 60 * minuteMs,
    compare: 10 * minuteMs,
    hold: 7_000,
    freeze: 9_000,
    catch_up: 10_000,
    verify: 10_000,
    switch: 5_000,
    close: 10_000,
    thaw: 10_000,
    release: 10_000,
  },
  heldMs: 20_000,
  againForMs: minuteMs,
  pauseMs: 250,
};
