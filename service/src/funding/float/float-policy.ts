import type { MicroUsdc } from '../../money/amounts.ts';

// How much of the house's money a partner's bank wallet gets and gives back. docs/float.md has the reasons.

/** What a top-up leaves there beyond what is lacking, so that the next small loss needs none. */
const cushion: MicroUsdc = 10_000_000n;

/** More than this is swept, down to the cushion. */
export const sweepAbove: MicroUsdc = 50_000_000n;

/** One move, at most. The database has the same limit. */
const mostAtOnce: MicroUsdc = 2_500_000_000n;

/** All top-ups of an environment within 24 hours, at most. */
export const mostADay: MicroUsdc = 10_000_000_000n;
export const dayMs = 24 * 3_600_000;

/** A float that holds less than this needs money. */
export const lowBelow: MicroUsdc = 1_000_000_000n;

export interface PlannedMove {
  kind: 'top_up' | 'sweep';
  amount: MicroUsdc;
}

export type Decision =
  | { kind: 'none' }
  /** `isCut`: the limit of the day allows no more. */
  | { kind: 'move'; move: PlannedMove; isCut: boolean }
  | { kind: 'spent' };

function least(...amounts: readonly MicroUsdc[]): MicroUsdc {
  return amounts.reduce((one, other) => (other < one ? other : one));
}

/** What to move, by what the bank wallet lacks (below zero where it holds too much) and what was topped up today. */
export function decideMove(lacks: MicroUsdc, toppedUp: MicroUsdc): Decision {
  if (lacks > 0n) {
    const left = mostADay - toppedUp;
    if (left <= 0n) return { kind: 'spent' };
    const wanted = least(lacks + cushion, mostAtOnce);
    return { kind: 'move', move: { kind: 'top_up', amount: least(wanted, left) }, isCut: left < wanted };
  }
  if (lacks >= -sweepAbove) return { kind: 'none' };
  return { kind: 'move', move: { kind: 'sweep', amount: least(-lacks - cushion, mostAtOnce) }, isCut: false };
}
