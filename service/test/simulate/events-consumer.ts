import type { FeedEvent } from './events-judge.ts';
import type { ReceivedBody } from '../webhooks/receiver.ts';
import type { Random } from './random.ts';

/** A partner's program that accepts deliveries and loses some. It finds out by their numbers, and reads those from the feed. */
export interface LosingConsumer {
  take(body: ReceivedBody): void;
  /** Reads what it misses. Returns how many events it had only from the feed. */
  heal(readAfter: (sequence: number) => Promise<FeedEvent[]>): Promise<number>;
  /** How many deliveries it has accepted and lost. */
  lost(): number;
  /** In sentences, where it has not done each event of the feed once. */
  judge(feed: readonly FeedEvent[]): string[];
}

const longestLoss = 20;
const mostReads = 10_000;

/** Loses deliveries in runs of up to twenty, until it has lost so many. */
export function createLosingConsumer({ losses, random }: { losses: number; random: Random }): LosingConsumer {
  /** What it did, by number: an event that it has already is not done again. */
  const done = new Map<number, string>();
  /** Numbers that a delivery has named as the one before it. */
  const named = new Set<number>();
  let [lost, running] = [0, 0];
  const losesNow = (): boolean => {
    if (lost === losses) return false;
    if (running === 0 && random.below(10) === 0) running = 1 + random.below(longestLoss);
    if (running === 0) return false;
    running -= 1;
    lost += 1;
    return true;
  };
  const act = ({ sequence, id }: FeedEvent): boolean => {
    if (done.has(sequence)) return false;
    done.set(sequence, id);
    return true;
  };
  const lastBefore = (sequence: number): number => {
    for (let one = sequence - 1; one > 0; one -= 1) if (done.has(one)) return one;
    return 0;
  };
  return {
    take(body) {
      if (losesNow()) return;
      act(body);
      if (body.webhook.previous_sequence !== null) named.add(body.webhook.previous_sequence);
    },
    async heal(readAfter) {
      let healed = 0;
      const readFrom = async (after: number): Promise<number> => {
        const events = await readAfter(after);
        healed += events.filter(act).length;
        return events.length;
      };
      for (let reads = 0; reads < mostReads; reads += 1) {
        const missed = [...named].filter((sequence) => !done.has(sequence)).toSorted((a, b) => a - b);
        // No delivery names the last ones: they are what comes after the highest number.
        const after = missed[0] === undefined ? Math.max(0, ...done.keys()) : lastBefore(missed[0]);
        if ((await readFrom(after)) === 0) return healed;
      }
      throw new Error('it reads for ever');
    },
    lost: () => lost,
    judge: (feed) => [
      ...feed
        .filter(({ sequence, id }) => done.get(sequence) !== id)
        .map(
          ({ sequence }) => `the consumer that lost deliveries has ${done.get(sequence) ?? 'nothing'} for ${sequence}`,
        ),
      ...(done.size > feed.length ? [`the consumer has ${done.size} events of ${feed.length}`] : []),
    ],
  };
}
