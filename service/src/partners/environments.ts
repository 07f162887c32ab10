import type { SingleCalls } from '../platform/database/single-call.ts';
import type { PartnerContext } from '../platform/database/transaction.ts';
import { createTtlCache, partnerKey } from '../platform/ttl-cache.ts';
import type { PartnerEnvironment } from './environment.ts';
import { getPartnerEnvironment } from './store.ts';

export interface PartnerEnvironments {
  get(of: PartnerContext): Promise<PartnerEnvironment>;
  /** It is known to have changed: whoever asks next is told how it is now. */
  forget(of: PartnerContext): void;
}

/**
 * A new price may wait so long. What must not, as a partner that was suspended or has left the simulated rail, is checked in
 * the commit itself.
 */
const keepMs = 5_000;
const mostRemembered = 10_000;

export function createPartnerEnvironments(calls: SingleCalls): PartnerEnvironments {
  const cache = createTtlCache<PartnerEnvironment>({ keepMs, most: mostRemembered });
  return {
    get: async (of) => cache.get(partnerKey(of), async () => getPartnerEnvironment(calls, of)),
    forget: (of) => cache.forget(partnerKey(of)),
  };
}
