import { inDatabaseSpan, withoutSpan } from './spans.ts';

interface MicroBatchOptions<Item, Result> {
  /** What is asked, for the span of each item: from its arrival to its result. */
  name: string;
  /** The most items of one batch. */
  size: number;
  /** No two items of one key are under way at once. Null says that it does not matter. */
  keyOf: ((item: Item) => string) | null;
  /** The result of each, in the same order. */
  together: (items: readonly Item[]) => Promise<readonly Result[]>;
  /** Whether a batch that failed so did certainly nothing: then each item is a batch of its own, and only the bad one fails. */
  didNothing: (error: unknown) => boolean;
  /** What an item is refused with where too many wait already. */
  tooMany: () => Error;
  /** How many are too many, where that is not the usual number. */
  mostWaiting?: number;
  /** Why an item is refused at once, however few wait. */
  refusal?: () => Error | undefined;
  /**
   * Whether a second batch goes before it is full, while the first is under way. Not for what waits for the same rows in the
   * database: there one larger batch is done sooner than two that queue.
   */
  eager: boolean;
  /** How long the first of a batch waits for others, where nobody waits for it: the fewer batches, the less they cost together. */
  gatherMs?: number;
}

interface Waiting<Item, Result> {
  item: Item;
  key: string | null;
  resolve: (result: Result | Promise<Result>) => void;
  reject: (error: unknown) => void;
}

/** While one batch is at work in the database, the next is on its way: more would only wait for each other. */
const mostUnderWay = 2;
/**
 * A batch that takes longer than this is held up by something: whoever comes then is not made to wait for it, and takes
 * along those who wait already.
 */
const soonMs = 50;
const usuallyMostWaiting = 1_024;
/** Of one key: who repeats itself so often may not take the room of others. */
const mostWaitingOfKey = 256;
/** How many items of a batch that failed are asked again at a time. */
const lanes = 4;

/**
 * Gathers what arrives while the database is busy, as a rule without a timer: an idle server asks at once, with what came in the
 * same turn of the event loop, and what comes meanwhile is the next batch. Order of arrival is kept.
 */
export function createMicroBatch<Item, Result>(
  options: MicroBatchOptions<Item, Result>,
): (item: Item) => Promise<Result> {
  const { name, size, gatherMs = 0, mostWaiting = usuallyMostWaiting } = options;
  let waiting: Waiting<Item, Result>[] = [];
  const waitingOfKey = new Map<string, number>();
  const keysUnderWay = new Set<string>();
  let underWay = 0;
  let lastSentAt = 0;
  let isSending = false;
  let gathering: NodeJS.Timeout | undefined;

  const beginKey = (key: string): void => {
    keysUnderWay.add(key);
    const left = (waitingOfKey.get(key) ?? 1) - 1;
    if (left === 0) waitingOfKey.delete(key);
    else waitingOfKey.set(key, left);
  };
  const take = (): Waiting<Item, Result>[] => {
    const taken: Waiting<Item, Result>[] = [];
    const left: Waiting<Item, Result>[] = [];
    for (const one of waiting) {
      const isFree = taken.length < size && (one.key === null || !keysUnderWay.has(one.key));
      if (isFree && one.key !== null) beginKey(one.key);
      (isFree ? taken : left).push(one);
    }
    waiting = left;
    return taken;
  };
  const isTimely = (): boolean =>
    underWay === 0 || options.eager || waiting.length >= size || performance.now() - lastSentAt > soonMs;
  const send = (): void => {
    isSending = false;
    clearTimeout(gathering);
    gathering = undefined;
    while (underWay < mostUnderWay && isTimely()) {
      const batch = take();
      if (batch.length === 0) return;
      underWay += 1;
      lastSentAt = performance.now();
      void askTogether(options, batch).finally(() => {
        underWay -= 1;
        for (const { key } of batch) if (key !== null) keysUnderWay.delete(key);
        sendSoon();
      });
    }
  };
  const sendSoon = (): void => {
    if (isSending || underWay === mostUnderWay || waiting.length === 0) return;
    if (waiting.length < size && gatherMs > 0) {
      gathering ??= setTimeout(withoutSpan, gatherMs, send);
      return;
    }
    isSending = true;
    setImmediate(withoutSpan, send);
  };
  const ask = async (item: Item): Promise<Result> =>
    new Promise((resolve, reject) => {
      const refusal = options.refusal?.();
      if (refusal !== undefined) return reject(refusal);
      const key = options.keyOf?.(item) ?? null;
      const ofKey = key === null ? 0 : (waitingOfKey.get(key) ?? 0);
      if (waiting.length >= mostWaiting || ofKey >= mostWaitingOfKey) return reject(options.tooMany());
      if (key !== null) waitingOfKey.set(key, ofKey + 1);
      waiting.push({ item, key, resolve, reject });
      sendSoon();
    });
  return async (item) => inDatabaseSpan(name, async () => ask(item));
}

/** Settles every item of the batch, and never rejects. */
async function askTogether<Item, Result>(
  options: MicroBatchOptions<Item, Result>,
  batch: readonly Waiting<Item, Result>[],
): Promise<void> {
  try {
    const results = await options.together(batch.map(({ item }) => item));
    if (results.length !== batch.length) throw new Error('a batch has as many results as items');
    for (const [at, result] of results.entries()) batch[at]?.resolve(result);
  } catch (error) {
    if (batch.length === 1 || !options.didNothing(error)) {
      for (const { reject } of batch) reject(error);
      return;
    }
    // A few at a time: one that waits for a lock must not take every connection with it.
    const left = [...batch];
    const work = async (): Promise<void> => {
      for (let one = left.shift(); one !== undefined; one = left.shift()) await askTogether(options, [one]);
    };
    await Promise.all(Array.from({ length: lanes }, work));
  }
}
