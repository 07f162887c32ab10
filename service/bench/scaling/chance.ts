import { randomFrom } from '../../test/simulate/random.ts';

/** How finely a random number is cut. */
const fine = 2 ** 30;

/** Gives numbers from 0 up to, but not including, 1. */
export type Chance = () => number;

export function chanceFrom(seed: number): Chance {
  const random = randomFrom(seed);
  return () => random.below(fine) / fine;
}

/** The seconds to the next of arrivals that are independent of each other. */
export function exponential(chance: Chance, perSecond: number): number {
  return -Math.log(1 - chance()) / perSecond;
}

/** Picks numbers by their shares. */
export function createPick(shares: readonly number[], chance: Chance): () => number {
  let sum = 0;
  const upTo = shares.map((share) => (sum += share));
  return () => {
    const drawn = chance() * sum;
    let [low, high] = [0, upTo.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((upTo[middle] ?? sum) > drawn) high = middle;
      else low = middle + 1;
    }
    return low;
  };
}
