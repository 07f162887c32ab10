import type { Clock } from '../../platform/clock.ts';
import type { GbpPerUsd } from '../../money/rates.ts';
import type { Rail } from '../../partners/index.ts';
import type { Banks } from '../model/banks.ts';

const refreshEveryMs = 20_000;

/** How old a rate may be for each use. What binds money needs a fresh one. */
export const rateAgesMs = { payout: 60_000, quote: 15 * 60_000, balance: 15 * 60_000 };

export interface Rates {
  /** The rail's rate, at most this old, or null where the bank has not said one for so long. */
  find(rail: Rail, atMostMs: number): Promise<GbpPerUsd | null>;
}

interface Known {
  rate: GbpPerUsd;
  at: number;
}

/**
 * Keeps each rail's rate and asks for a new one when it is some seconds old. Who asks meanwhile is answered with the old
 * one at once, where that is still good for the purpose; otherwise it waits for the bank.
 */
export function createRates(banks: Banks, clock: Clock): Rates {
  const known = new Map<Rail, Known>();
  const asking = new Map<Rail, Promise<void>>();
  const ask = async (rail: Rail): Promise<void> => {
    const at = clock.now().getTime();
    const rate = await banks[rail]?.findRate();
    if (rate !== null && rate !== undefined) known.set(rail, { rate, at });
  };
  const refresh = async (rail: Rail): Promise<void> => {
    const current = asking.get(rail) ?? ask(rail).finally(() => asking.delete(rail));
    asking.set(rail, current);
    return current;
  };
  const ageOf = (rail: Rail): number =>
    Math.abs(clock.now().getTime() - (known.get(rail)?.at ?? Number.NEGATIVE_INFINITY));
  return {
    async find(rail, atMostMs) {
      const age = ageOf(rail);
      if (age > refreshEveryMs) {
        const asked = refresh(rail);
        if (age > atMostMs) await asked;
        // Nobody waits for it, so nobody is failed by it: whoever needs a newer rate asks again, and hears why not.
        else asked.catch(() => undefined);
      }
      return ageOf(rail) <= atMostMs ? (known.get(rail)?.rate ?? null) : null;
    },
  };
}
