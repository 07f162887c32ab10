import type { Markups } from '../money/fees.ts';
import type { SingleCalls } from '../platform/database/single-call.ts';
import { getMarkups } from './store.ts';

/** What each price plan adds to what others charge us. */
export interface PlanMarkups {
  get(plan: string): Promise<Markups>;
}

/** A plan never changes, and there are few: each is read once. */
export function createPlanMarkups(calls: SingleCalls): PlanMarkups {
  const known = new Map<string, Promise<Markups>>();
  return {
    async get(plan) {
      const found = known.get(plan) ?? getMarkups(calls, plan);
      known.set(plan, found);
      // What failed is not remembered.
      found.catch(() => known.delete(plan));
      return found;
    },
  };
}
