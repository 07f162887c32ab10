import type { PartnerContext } from '../platform/database/transaction.ts';

/** Waits for events about one resource. It holds no connection of the database. */
export interface Watch {
  /** Resolves once no later change can be missed. What is read after it is what the changes follow. */
  begun: Promise<void>;
  /** True with an event since the last call, or false where the watch has ended. */
  next(): Promise<boolean>;
  end(): void;
}

interface OneWatch extends Watch {
  ring(): void;
}

/** The events of a partner and environment that has watches. */
interface Feed {
  of: PartnerContext;
  /** Everything up to this number has been read; null until it is known. */
  after: bigint | null;
  begun: Promise<void>;
  bySubject: Map<string, Set<OneWatch>>;
  watches: number;
}

export interface WatchLimits {
  /** Of a process. */
  most: number;
  /** Of a partner and environment: others need room, too. */
  ofFeed: number;
}

function nothing(): void {}

function createWatch(begun: Promise<void>, onEnd: () => void): OneWatch {
  let hasRung = false;
  let hasEnded = false;
  let wake = nothing;
  return {
    begun,
    ring() {
      hasRung = true;
      wake();
    },
    async next() {
      if (!hasRung && !hasEnded) await new Promise<void>((resolve) => (wake = resolve));
      hasRung = false;
      return !hasEnded;
    },
    end() {
      if (hasEnded) return;
      hasEnded = true;
      onEnd();
      wake();
    },
  };
}

export interface Feeds {
  /** Null where too many watch already. */
  add(of: PartnerContext, subjectId: string): Watch | null;
  all(): Feed[];
  count(): number;
  endAll(): void;
}

/** The watches of a process, by whose events they are about. A feed is there as long as it has watches. */
export function createFeeds(findLast: (of: PartnerContext) => Promise<bigint>, { most, ofFeed }: WatchLimits): Feeds {
  const feeds = new Map<string, Feed>();
  let count = 0;
  const openFeed = (key: string, of: PartnerContext): Feed => {
    const feed: Feed = { of, after: null, begun: Promise.resolve(), bySubject: new Map(), watches: 0 };
    feed.begun = findLast(of).then((last) => {
      feed.after = last;
    });
    feeds.set(key, feed);
    return feed;
  };
  return {
    add({ partnerId, environment }, subjectId) {
      const key = `${partnerId} ${environment}`;
      const known = feeds.get(key);
      if (count >= most || (known?.watches ?? 0) >= ofFeed) return null;
      const feed = known ?? openFeed(key, { partnerId, environment });
      const ofSubject = feed.bySubject.get(subjectId) ?? new Set();
      const watch = createWatch(feed.begun, () => {
        ofSubject.delete(watch);
        if (ofSubject.size === 0) feed.bySubject.delete(subjectId);
        feed.watches -= 1;
        count -= 1;
        if (feed.watches === 0) feeds.delete(key);
      });
      feed.bySubject.set(subjectId, ofSubject.add(watch));
      feed.watches += 1;
      count += 1;
      return watch;
    },
    all: () => [...feeds.values()],
    count: () => count,
    endAll() {
      for (const { bySubject } of feeds.values())
        for (const ofSubject of bySubject.values()) for (const watch of ofSubject) watch.end();
    },
  };
}
