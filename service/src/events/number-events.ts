import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../platform/clock.ts';
import type { SingleCalls } from '../platform/database/single-call.ts';
import type { Logger } from '../platform/logging.ts';
import type { WakeListener } from '../platform/wake-ups/wake-listener.ts';
import type { WakeSender } from '../platform/wake-ups/wake-sender.ts';
import { numberEvents } from './store.ts';

/** In one commit. */
const mostAtOnce = 1_000;
/** What is committed meanwhile is numbered together: a commit costs the same for one event as for a hundred. */
const pauseMs = 50;
/** Commits wake the workers. What a lost wake-up left is found after this long. */
const longestSleepMs = 2_000;
const afterFailureMs = 1_000;

export interface Numbering {
  stop(): Promise<void>;
}

interface NumberingDeps {
  calls: SingleCalls;
  clock: Clock;
  logger: Logger;
  wakeUps: WakeListener;
  wakes: Pick<WakeSender, 'wake'>;
  /** Called each time that all there was is numbered, or another process is at it. */
  onRound: () => void;
}

/**
 * Numbers what was committed, until it is stopped. Every worker runs it, and one of them at a time has the turn: the database says
 * whose it is with each commit, so one that dies leaves nothing behind.
 */
export function startNumbering({ calls, clock, logger, wakeUps, wakes, onRound }: NumberingDeps): Numbering {
  const stopping = new AbortController();
  const { signal } = stopping;
  const { writeGate } = calls;
  const pause = async (ms: number): Promise<void> => wait(ms, undefined, { signal }).catch(() => undefined);
  const numberAll = async (): Promise<void> => {
    for (let taken: number | null = mostAtOnce; taken === mostAtOnce && !signal.aborted;) {
      taken = await numberEvents(calls, clock.now(), mostAtOnce);
      if (taken !== null && taken > 0) wakes.wake('numbered');
    }
  };
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        await writeGate.untilOpen(signal);
        await numberAll();
        onRound();
        // Who commits meanwhile wakes us: nobody has to look whether there is more.
        await pause(pauseMs);
        await wakeUps.until('events', longestSleepMs, signal);
      } catch (error) {
        if (signal.aborted) return;
        logger.error({ error }, 'events.not_numbered');
        await pause(afterFailureMs);
      }
    }
  };
  const done = run();
  return {
    async stop() {
      stopping.abort();
      await done;
    },
  };
}
