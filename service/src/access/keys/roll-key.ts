import { recordActivity, recordSecurityEvent } from '../../activity/index.ts';
import type { ActToConfirm } from '../../platform/acts/confirmed-act.ts';
import { ApiError } from '../../platform/api-error.ts';
import type { Transaction } from '../../platform/database/transaction.ts';
import type { AdminActor } from '../actor.ts';
import { refuseInactive } from '../inactive-partner.ts';
import { describeAuthority } from '../mails/key-change.ts';
import { keyRolledMail } from '../mails/key-rolled.ts';
import { newSecret } from '../secrets.ts';
import { lockApiKey, replaceSecret, type LockedKey } from '../store.ts';
import type { KeyChangeDeps } from './key-deps.ts';
import type { KeyWithSecret } from './make-key.ts';

interface Roll {
  keyId: string;
  /** How long the secret that is replaced still works. */
  overlapHours: number;
}

/** Whoever rolls a live key has a secret that pays. */
function rollToConfirm(key: LockedKey, { keyId, overlapHours }: Roll): ActToConfirm | null {
  const { environment, business, prefix, label } = key;
  if (environment !== 'live') return null;
  return {
    act: JSON.stringify(['key.roll', keyId, prefix, overlapHours]),
    business,
    does: `replace the secret of a live API key of ${business}`,
    facts: [
      ['Key', `${prefix}…`],
      ...(label === null ? [] : [['Label', label] as const]),
      ...describeAuthority(key),
      ['Old secret works', overlapHours === 0 ? 'no longer' : `for ${overlapHours} hours`],
    ],
  };
}

async function planRoll(
  tx: Transaction,
  roll: Roll,
  at: Date,
): Promise<{ key: LockedKey; toConfirm: ActToConfirm | null }> {
  const key = await lockApiKey(tx, roll.keyId);
  if (key === null || !works(key, at))
    throw new ApiError({ code: 'not_found', message: 'No active API key has this id.' });
  refuseInactive(key.partnerStatus);
  return { key, toConfirm: rollToConfirm(key, roll) };
}

/**
 * Replaces a key's secret. The key stays the same: its id, and what it may do. A key has two secrets at most, so a roll
 * during an overlap ends the older one.
 */
export async function rollKey(
  deps: KeyChangeDeps,
  actor: AdminActor,
  { code, ...roll }: Roll & { code: string | undefined },
): Promise<KeyWithSecret> {
  const { keyId, overlapHours } = roll;
  const at = deps.clock.now();
  const plan = async (tx: Transaction) => planRoll(tx, roll, at);
  return deps.inConfirmedTransaction(actor, { code, plan }, actor, async (tx, { key }) => {
    const { secret, prefix } = newSecretBeside(key);
    const previousExpiresAt = overlapEnd(key, at, overlapHours);
    const digested = { secretHmac: deps.pepper.digest(secret), pepperVersion: deps.pepper.version };
    await replaceSecret(tx, { id: keyId, prefix, ...digested, previousExpiresAt });
    const { partnerId, by, requestId: id } = actor;
    const done = { environment: key.environment, action: 'key.roll', status: 201, detail: keyId };
    await recordActivity(tx, { id, partnerId, by, ...done });
    await recordSecurityEvent(tx, actor, done);
    const previous = { prefix: key.prefix, expiresAt: previousExpiresAt };
    const message = keyRolledMail({ ...key, prefix, by, at, dashboardUrl: deps.dashboardUrl }, previous);
    await deps.notifyAdmins(tx, { kind: 'key-rolled', message });
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
