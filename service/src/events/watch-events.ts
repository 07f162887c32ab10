import { setTimeout as wait } from 'node:timers/promises';
import { wasUndone, type SingleCalls } from '../platform/database/single-call.ts';
import { tooBusy } from '../platform/database/too-busy.ts';
import type { PartnerContext } from '../platform/database/transaction.ts';
import type { Logger } from '../platform/logging.ts';
import { createMicroBatch } from '../platform/micro-batch.ts';
import type { WakeListener } from '../platform/wake-ups/wake-listener.ts';
import { findLastSequences, listNewEvents } from './store.ts';
import { createFeeds, type Watch, type WatchLimits } from './watch.ts';

export interface EventWatches {
  /** Null where too many watch already, or the process is to stop. */
  watch(of: PartnerContext, subjectId: string): Watch | null;
  count(): number;
  /** Ends all of them, and takes no more. */
  stop(): void;
}

interface WatchDeps {
  calls: SingleCalls;
  logger: Logger;
  wakeUps: WakeListener;
}

export const watchLimits: Readonly<WatchLimits> = { most: 10_000, ofFeed: 5_000 };
/** What a lost wake-up left is found after this long. */
const longestSleepMs = 1_000;
const afterFailureMs = 1_000;
const mostEventsAtOnce = 1_000;
const mostFeedsAtOnce = 256;

/**
 * Watches for callers of this process. Each feed remembers the number up to which it was read. A wake-up only says when to
 * look: one call then reads what is new in all of them, so that one which is lost delays an answer and loses none.
 */
export function createEventWatches(
  { calls, logger, wakeUps }: WatchDeps,
  limits: Readonly<WatchLimits> = watchLimits,
): EventWatches {
  const stopping = new AbortController();
  const { signal } = stopping;
  let isRunning = false;
  const findLast = createMicroBatch<PartnerContext, bigint>({
    name: 'last_event_sequences',
    size: mostFeedsAtOnce,
    keyOf: null,
    eager: true,
    together: async (asked) => findLastSequences(calls, asked),
    didNothing: wasUndone,
    tooMany: tooBusy,
  });
  const feeds = createFeeds(findLast, limits);
  /** Says whether there may be more. */
  const readNews = async (): Promise<boolean> => {
    const begun = feeds
      .all()
      .flatMap((feed) => (feed.after === null ? [] : [{ feed, of: feed.of, after: feed.after }]));
    if (begun.length === 0) return false;
    const events = await listNewEvents(calls, begun, mostEventsAtOnce);
    for (const { place, sequence, subjectId } of events) {
      const feed = begun[place]?.feed;
      if (feed === undefined) continue;
      feed.after = sequence;
      for (const watch of feed.bySubject.get(subjectId) ?? []) watch.ring();
    }
    return events.length === mostEventsAtOnce;
  };
  const run = async (): Promise<void> => {
    while (feeds.count() > 0 && !signal.aborted) {
      try {
        if (!(await readNews())) await wakeUps.until('numbered', longestSleepMs, signal);
      } catch (error) {
        logger.warn({ error }, 'events.not_watched');
        await wait(afterFailureMs, undefined, { signal }).catch(() => undefined);
      }
    }
    isRunning = false;
  };
  return {
    watch(of, subjectId) {
      const watch = signal.aborted ? null : feeds.add(of, subjectId);
      if (watch !== null && !isRunning) {
        isRunning = true;
        void run();
      }
      return watch;
    },
    count: () => feeds.count(),
    stop() {
      stopping.abort();
      feeds.endAll();
    },
  };
}
