import { randomFrom, type Random } from './random.ts';

export const webhookModes = ['normal', 'lose', 'repeat', 'shuffle'] as const;
export type WebhookMode = (typeof webhookModes)[number];

/** What becomes of a deposit at the bank. */
type Fate = 'settles' | 'is held for a while' | 'is refunded' | 'is taken back';

export interface PlannedDeposit {
  partner: number;
  method: 'bank_transfer' | 'usdc';
  amountCents: number;
  fate: Fate;
}

/** How the worker ends in the middle of it. */
type Kill = 'none' | 'at the answer' | 'somewhere';

export interface FundingPlan {
  /** One after the other, while deposits come. */
  modes: WebhookMode[];
  deposits: PlannedDeposit[];
  fault: { kind: string; times: number } | null;
  kill: Kill;
  killAfterMs: number;
}

const faultKinds = ['error_before', 'error_after', 'drop_reply', 'truncated', 'wrong_types', 'empty', 'html'];
const leastDeposits = 5;
const mostDeposits = 8;
export const partnersInAll = 4;

function pick<Choice>(random: Random, choices: readonly Choice[]): Choice {
  const choice = choices[random.below(choices.length)];
  if (choice === undefined) throw new Error('there is nothing to choose from');
  return choice;
}

function planDeposit(random: Random): PlannedDeposit {
  return {
    partner: random.below(partnersInAll),
    method: pick(random, ['bank_transfer', 'usdc']),
    amountCents: 100 + random.below(500_000),
    fate: pick(random, ['settles', 'settles', 'settles', 'is held for a while', 'is refunded', 'is taken back']),
  };
}

/** The same for the same seed. */
export function planFunding(seed: number): FundingPlan {
  const random = randomFrom(seed);
  const count = leastDeposits + random.below(mostDeposits - leastDeposits + 1);
  return {
    // The first is the seed's own, so that each of them has its share of any row of seeds.
    modes: [webhookModes[Math.abs(seed) % webhookModes.length] ?? 'normal', pick(random, webhookModes)],
    deposits: Array.from({ length: count }, () => planDeposit(random)),
    fault: random.below(4) === 0 ? { kind: pick(random, faultKinds), times: 1 + random.below(3) } : null,
    kill: pick(random, ['none', 'none', 'none', 'none', 'none', 'none', 'none', 'none', 'at the answer', 'somewhere']),
    killAfterMs: random.below(400),
  };
}
