import type { MicroUsdc } from '../money/amounts.ts';

/** Three requests that are sent at once are seen to within moments, and lines paid in them are listed in any order. */
const unsure = 3;

/** What moved in the list just before a balance was read, as far as we know, and just after it; the oldest first. */
export interface Moved {
  earlier: readonly MicroUsdc[];
  later: readonly MicroUsdc[];
}

function* sumsOfSome(amounts: readonly MicroUsdc[]): Generator<MicroUsdc> {
  const [first, ...rest] = amounts;
  if (first === undefined) yield 0n;
  else
    for (const sum of sumsOfSome(rest)) {
      yield sum;
      yield sum + first;
    }
}

/**
 * A balance differs by so much from the lines that are listed before it. The last of these may not be in it yet, and the
 * first of those that came later may be: so each of these can be the true difference. One alone where nothing moved.
 */
export function possibleDifferences(difference: MicroUsdc, { earlier, later }: Moved): ReadonlySet<MicroUsdc> {
  const possible = new Set<MicroUsdc>();
  for (const missing of sumsOfSome(earlier.slice(-unsure)))
    for (const added of sumsOfSome(later.slice(0, unsure))) possible.add(difference + missing - added);
  return possible;
}

const fewestLooks = 4;
const mostPart = 0.6;

/**
 * The difference that most looks allow: the true one is allowed by nearly every look, any other by chance. Of several the one
 * next to zero counts: with payouts of one amount, some that are so many payouts apart are allowed by all.
 */
export class Votes {
  private readonly votes = new Map<MicroUsdc, number>();
  private looks = 0;

  /** Null for as long as there are too few, or they do not agree. */
  add(possible: ReadonlySet<MicroUsdc>): MicroUsdc | null {
    const [only] = possible;
    // Nothing moved: this look is as good as any number of others.
    if (possible.size === 1 && only !== undefined) return only;
    this.looks += 1;
    for (const one of possible) this.votes.set(one, (this.votes.get(one) ?? 0) + 1);
    const most = Math.max(...this.votes.values());
    if (most < Math.max(fewestLooks, this.looks * mostPart)) return null;
    const leading = [...this.votes].filter(([, votes]) => votes === most).map(([one]) => one);
    return leading.reduce((least, one) => (sizeOf(one) < sizeOf(least) ? one : least));
  }
}

function sizeOf(amount: MicroUsdc): MicroUsdc {
  return amount < 0n ? -amount : amount;
}
