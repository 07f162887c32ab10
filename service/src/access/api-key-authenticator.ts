import type { Clock } from '../platform/clock.ts';
import type { SingleCalls } from '../platform/database/single-call.ts';
import type { PartnerContext } from '../platform/database/transaction.ts';
import { createTtlCache } from '../platform/ttl-cache.ts';
import { isSecret, sameDigest, type Pepper } from './secrets.ts';
import { findApiKey } from './store.ts';

interface CallingKey extends PartnerContext {
  id: string;
  /** The start of the secret: how people know it again. */
  prefix: string;
}

export interface ApiKeyAuthenticator {
  /** Whose secret this is, or null for nobody's. */
  identify(secret: string): Promise<CallingKey | null>;
}

/** A key that was revoked still reads for so long at most; a payout checks it again in its own commit. */
const keepMs = 900;
const mostRemembered = 10_000;

export function createApiKeyAuthenticator(calls: SingleCalls, clock: Clock, pepper: Pepper): ApiKeyAuthenticator {
  const cache = createTtlCache<CallingKey | null>({ keepMs, most: mostRemembered });
  return {
    async identify(secret) {
      if (!isSecret(secret)) return null;
      const digest = pepper.digest(secret);
      return cache.get(digest.toString('base64'), async () => {
        const row = await findApiKey(calls, digest, clock.now());
        if (row === null || !sameDigest(row.secret_hmac, digest)) return null;
        return { id: row.id, partnerId: row.partner_id, environment: row.environment, prefix: row.key_prefix };
      });
    },
  };
}
