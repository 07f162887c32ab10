import { recordActivity, recordSecurityEvent } from '../../activity/index.ts';
import { inTransaction } from '../../platform/database/transaction.ts';
import type { AdminActor } from '../actor.ts';
import { keyRolledMail } from '../mails/key-rolled.ts';
import { requireAdmin } from '../members/require-admin.ts';
import { newSecret } from '../secrets.ts';
import { lockApiKey, replaceSecret, type LockedKey } from '../store.ts';
import type { KeyChangeDeps } from './key-deps.ts';
import type { KeyWithSecret } from './make-key.ts';
import { notifyAdmins } from './notify-admins.ts';

interface Roll {
  keyId: string;
  /** How long the secret that is replaced still works. */
  overlapHours: number;
}

/**
 * Replaces a key's secret. The key stays the same: its id, and what it may do. A key has two secrets at most, so a roll
 * during an overlap ends the older one. Null where the partner has no such key that works.
 */
export async function rollKey(
  deps: KeyChangeDeps,
  actor: AdminActor,
  { keyId, overlapHours }: Roll,
): Promise<KeyWithSecret | null> {
  return inTransaction(deps.pool, actor, async (tx) => {
    const key = await lockApiKey(tx, keyId);
    const at = deps.clock.now();
    if (key === null || !works(key, at)) return null;
    await requireAdmin(tx, actor.sessionId);
    const { secret, prefix } = newSecretBeside(key);
    const previousExpiresAt = overlapEnd(key, at, overlapHours);
    await replaceSecret(tx, { id: keyId, prefix, secretHmac: deps.pepper.digest(secret), previousExpiresAt });
    const { partnerId, by, requestId: id } = actor;
    const done = { environment: key.environment, action: 'key.roll', status: 201, detail: keyId };
    await recordActivity(tx, { id, partnerId, by, ...done });
    await recordSecurityEvent(tx, actor, done);
    const previous = { prefix: key.prefix, expiresAt: previousExpiresAt };
    const message = keyRolledMail({ ...key, prefix, by, at, dashboardUrl: deps.dashboardUrl }, previous);
    await notifyAdmins(tx, deps.outbox, { kind: 'key-rolled', message });
    return {
      ...key,
      id: keyId,
      prefix,
      secret,
      previous: previousExpiresAt === null ? null : { prefix: key.prefix, expiresAt: previousExpiresAt },
    };
  });
}

function works({ isRevoked, expiresAt }: LockedKey, at: Date): boolean {
  return !isRevoked && (expiresAt === null || expiresAt > at);
}

/** A payout's commit tells a key's two secrets apart by their prefixes. */
function newSecretBeside(key: LockedKey): ReturnType<typeof newSecret> {
  for (;;) {
    const made = newSecret(key.environment);
    if (made.prefix !== key.prefix) return made;
  }
}

/** The old secret does not outlive the key. Null where it ends at once. */
function overlapEnd({ expiresAt }: LockedKey, at: Date, hours: number): Date | null {
  if (hours === 0) return null;
  const end = new Date(at.getTime() + hours * 3_600_000);
  return expiresAt !== null && expiresAt < end ? expiresAt : end;
}
