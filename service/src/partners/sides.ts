import type { SingleCalls } from '../platform/database/single-call.ts';
import type { PartnerContext } from '../platform/database/transaction.ts';
import { createShortMemory } from '../platform/short-memory.ts';
import type { PartnerSide } from './side.ts';
import { getSide } from './store.ts';

export interface Sides {
  get(of: PartnerContext): Promise<PartnerSide>;
}

/** A new price or rail may wait so long. What must not, as a partner that was suspended, is checked in the commit itself. */
const keepMs = 5_000;
const mostRemembered = 10_000;

export function createSides(calls: SingleCalls): Sides {
  const memory = createShortMemory<PartnerSide>({ keepMs, most: mostRemembered });
  return {
    get: async (of) => memory.get(`${of.partnerId} ${of.environment}`, async () => getSide(calls, of)),
  };
}
