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

/** A payout of a share of what the wallet holds, and what the bank makes of it. */
export interface PlannedSpend {
  partner: number;
  percent: number;
  /** What the bank debits more than we calculated, or less, in hundredths of a percent. */
  drift: number;
  fate: 'arrives' | 'fails' | 'comes back late';
}

/** How the worker ends in the middle of it. */
type Kill = 'none' | 'at the answer' | 'somewhere';

export interface FundingPlan {
  /** One after the other, while deposits come. */
  modes: WebhookMode[];
  deposits: PlannedDeposit[];
  /** One after the other, once the first deposits are there. */
  spends: PlannedSpend[];
  /** Whether the bank then takes back the largest of the first deposits, which is spent by now. */
  takesBackSpent: boolean;
  fault: { kind: string; times: number } | null;
  kill: Kill;
  killAfterMs: number;
  /** The worker is also killed where the bank has moved the float and nothing is written yet. */
  killsAtFloat: boolean;
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

function planSpend(random: Random): PlannedSpend {
  return {
    partner: random.below(partnersInAll),
    percent: pick(random, [20, 60, 99, 99]),
    drift: random.below(181) - 90,
    fate: pick(random, ['arrives', 'arrives', 'fails', 'comes back late']),
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
    spends: Array.from({ length: 1 + random.below(3) }, () => planSpend(random)),
    takesBackSpent: random.below(2) === 0,
    killsAtFloat: random.below(5) === 0,
  };
}
