import type { Clock } from '../platform/clock.ts';
import type { PartnerContext, Transaction } from '../platform/database/transaction.ts';
import { newId } from '../platform/ids.ts';
import { newSecret, type Pepper } from './secrets.ts';
import { insertApiKey } from './store.ts';

interface NewApiKey extends PartnerContext {
  label: string | null;
}

/** The secret is in the answer and nowhere else. */
export async function createApiKey(
  tx: Transaction,
  { clock, pepper }: { clock: Clock; pepper: Pepper },
  key: NewApiKey,
): Promise<{ id: string; prefix: string; secret: string; createdAt: Date }> {
  const { secret, prefix } = newSecret(key.environment);
  const id = newId(clock);
  const createdAt = clock.now();
  await insertApiKey(tx, { ...key, id, prefix, secretHmac: pepper.digest(secret), createdAt });
  return { id, prefix, secret, createdAt };
}
