import { hash } from 'node:crypto';
import type { Clock } from '../platform/clock.ts';
import type { SingleCalls } from '../platform/database/single-call.ts';
import type { PartnerContext } from '../platform/database/transaction.ts';
import { createTtlCache } from '../platform/ttl-cache.ts';
import type { KeyScope } from './key-authority.ts';
import { isWithin, parseNetwork, type Network } from './networks.ts';
import { findBySecret, isSecret, sameDigest, type Pepper } from './secrets.ts';
import { isOurs, makeMac, sealedKey } from './sealed-rows.ts';
import { identifyApiKey, type IdentifiedKeyRow, type Redigest } from './store.ts';
import type { UseRecorder } from './use-recorder.ts';

interface CallingKey extends PartnerContext {
  id: string;
  /** The start of the secret that was used: how people know it again. */
  prefix: string;
  scope: KeyScope;
}

export interface ApiKeyAuthenticator {
  /** Whose secret this is, or null for nobody's, and for one that no longer works or not from this address. */
  identify(secret: string, address: string): Promise<CallingKey | null>;
}

interface KnownKey {
  key: CallingKey;
  /** Null is anywhere. */
  networks: readonly Network[] | null;
  /** Null is without end. */
  validUntil: Date | null;
}

/** A key that was revoked still reads for so long at most; a payout checks it again in its own commit. */
const keepMs = 900;
const mostRemembered = 10_000;

function networkFrom(text: string): Network {
  const network = parseNetwork(text);
  if (network === undefined) throw new Error('a stored network that cannot be read');
  return network;
}

function knownKey(row: IdentifiedKeyRow): KnownKey {
  const { id, partner_id: partnerId, environment, used_prefix: prefix, scope } = row;
  return {
    key: { id, partnerId, environment, prefix, scope },
    networks: row.networks?.map(networkFrom) ?? null,
    validUntil: row.valid_until,
  };
}

/** With the digest under the newest pepper, of a row that is ours. */
function redigestOf({ rowMacs }: SingleCalls, row: IdentifiedKeyRow, before: Buffer, after: Buffer): Redigest {
  const isCurrent = row.secret_hmac.equals(before);
  const anew = isCurrent ? { ...row, secret_hmac: after } : { ...row, previous_secret_hmac: after };
  return { before, after, macBefore: row.mac, macAfter: makeMac(rowMacs, sealedKey(anew)) };
}

interface AuthenticatorDeps {
  calls: SingleCalls;
  clock: Clock;
  pepper: Pepper;
  uses: Pick<UseRecorder, 'record' | 'redigest'>;
}

export function createApiKeyAuthenticator({ calls, clock, pepper, uses }: AuthenticatorDeps): ApiKeyAuthenticator {
  const cache = createTtlCache<KnownKey | null>({ keepMs, most: mostRemembered });
  return {
    async identify(secret, address) {
      if (!isSecret(secret)) return null;
      // Random bits need no pepper to be remembered by, and the digest costs six times as much. Only the database is asked by it.
      const known = await cache.get(hash('sha256', secret), async () => {
        const digest = pepper.digest(secret);
        const found = await findBySecret(pepper, secret, async (each) => identifyApiKey(calls, each, clock.now()));
        if (found === null) return null;
        const { row } = found;
        if (!sameDigest(row.used_hmac, found.digest) || !isOurs(calls.rowMacs, sealedKey(row), row.mac)) return null;
        uses.record('key', row.id);
        if (!found.digest.equals(digest)) uses.redigest(redigestOf(calls, row, found.digest, digest));
        return knownKey(row);
      });
      if (known === null) return null;
      // Judged for each request, because what is remembered may have been looked up for another address, or earlier.
      const { key, networks, validUntil } = known;
      if (validUntil !== null && validUntil <= clock.now()) return null;
      return networks === null || isWithin(networks, address) ? key : null;
    },
  };
}
