import { randomFrom, type Random } from './random.ts';

/** What becomes of an order. */
const fates = [
  'arrives',
  'is refused',
  'is refused, then sent',
  'is refused, yet paid',
  'loses its answer',
  'is lost, then refused',
  'is never heard of',
  'comes back',
  'comes back in part',
  'comes back with more',
  'fails',
  'costs too much',
] as const;
export type Fate = (typeof fates)[number];

/** Those of which the bank alone knows after a restore. */
const lostFates: readonly Fate[] = ['arrives', 'loses its answer', 'is refused, then sent', 'comes back'];

export interface PlannedOrder {
  partner: number;
  fate: Fate;
  amountPence: number;
  /** Who finds a payment that we believe was never made: the partner that repeats its key, or operators. */
  foundBy: 'partner' | 'operators';
}

export interface OperatorsPlan {
  orders: PlannedOrder[];
  /** The orders from this one on are lost by a restore. Null where there is none. */
  lostFrom: number | null;
  /** The first person approves what they proposed themselves, or the second approves twice. */
  mistake: 'none' | 'own approval' | 'second approval';
  /** Who proposes. The other approves. */
  proposer: 0 | 1;
}

export const partnersInAll = 3;

function pick<Choice>(random: Random, choices: readonly Choice[]): Choice {
  const choice = choices[random.below(choices.length)];
  if (choice === undefined) throw new Error('there is nothing to choose from');
  return choice;
}

function planOrder(random: Random, allowed: readonly Fate[]): PlannedOrder {
  const fate = pick(random, allowed);
  return {
    partner: random.below(partnersInAll),
    // It takes a day of the test's clock: as often as the others, months would pass.
    fate: fate === 'is never heard of' && random.below(3) > 0 ? 'arrives' : fate,
    amountPence: 10_000 + random.below(20_000),
    foundBy: pick(random, ['partner', 'operators']),
  };
}

/** The same for the same seed. */
export function planOperators(seed: number): OperatorsPlan {
  const random = randomFrom(seed);
  const kept = Array.from({ length: 1 + random.below(3) }, () => planOrder(random, fates));
  const isRestored = random.below(5) === 0;
  const lost = Array.from({ length: isRestored ? 2 + random.below(4) : 0 }, () => planOrder(random, lostFates));
  return {
    orders: [...kept, ...lost],
    lostFrom: isRestored ? kept.length : null,
    mistake: pick(random, ['none', 'none', 'own approval', 'second approval']),
    proposer: random.below(2) === 0 ? 0 : 1,
  };
}
