import { readFileSync } from 'node:fs';

/** Where the time comes from. It is passed to whatever needs it, so that a test can move it. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

/**
 * The system's time shifted by the milliseconds written in a file: how a test moves the clock of a process that already
 * runs. The file is read at every call, since the next call may come after a move.
 */
export function clockShiftedByFile(path: string): Clock {
  return {
    now() {
      const text = readFileSync(path, 'utf8').trim();
      const shiftMs = Number(text);
      if (text === '' || !Number.isSafeInteger(shiftMs))
        throw new Error(`the clock file ${path} does not hold a whole number`);
      return new Date(Date.now() + shiftMs);
    },
  };
}
