import type { Clock } from '../platform/clock.ts';
import type { PartnerContext, Transaction } from '../platform/database/transaction.ts';
import { newId } from '../platform/ids.ts';
import { fullAuthority, type KeyAuthority } from './key-authority.ts';
import { newSecret, type Pepper } from './secrets.ts';
import { insertApiKey } from './store.ts';

interface NewApiKey extends PartnerContext, Partial<KeyAuthority> {
  label: string | null;
  /** Until when a low daily limit holds; for a key of a partner's own that is not its first. */
  fullLimitAt?: Date | null;
  /** The admin who creates it; null for a key that no admin creates. */
  createdBy?: string | null;
}

interface CreatedApiKey {
  id: string;
  prefix: string;
  secret: string;
  createdAt: Date;
  /** As lists show them. */
  networks: string[];
}

/** The secret is in the answer and nowhere else. */
export async function createApiKey(
  tx: Transaction,
  { clock, pepper }: { clock: Clock; pepper: Pepper },
  key: NewApiKey,
): Promise<CreatedApiKey> {
  const { secret, prefix } = newSecret(key.environment);
  const id = newId(clock);
  const createdAt = clock.now();
  const digested = { secretHmac: pepper.digest(secret), pepperVersion: pepper.version };
  const row = { ...fullAuthority, fullLimitAt: null, createdBy: null, ...key, id, prefix, ...digested, createdAt };
  const networks = await insertApiKey(tx, row);
  return { id, prefix, secret, createdAt, networks };
}
