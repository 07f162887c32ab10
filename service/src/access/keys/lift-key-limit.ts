import { recordActivity, recordSecurityEvent } from '../../activity/index.ts';
import { ApiError, sessionEnded } from '../../platform/api-error.ts';
import type { PartnerContext, Transaction } from '../../platform/database/transaction.ts';
import type { AdminActor } from '../actor.ts';
import { keyLimitLiftedMail } from '../mails/key-limit-lifted.ts';
import { findKeyCreator, liftLimit, lockApiKey } from '../store.ts';
import type { KeyChangeDeps } from './key-deps.ts';

const notFound = { code: 'not_found', message: 'No active API key with a reduced limit has this id.' } as const;
const ownKey = {
  code: 'second_admin_required',
  message: 'You created this key, or we do not know who did. Another admin has to lift its limit.',
} as const;

/** Ends the reduced limit of a new key at once. Another admin than the one who created it does, with an emailed code. */
export async function liftKeyLimit(
  deps: Omit<KeyChangeDeps, 'pepper'>,
  actor: AdminActor,
  { keyId, code }: { keyId: string; code: string | undefined },
): Promise<{ environment: PartnerContext['environment'] }> {
  const at = deps.clock.now();
  const plan = async (tx: Transaction) => {
    const key = await lockApiKey(tx, keyId);
    if (key === null || key.isRevoked || key.fullLimitAt === null || key.fullLimitAt <= at)
      throw new ApiError(notFound);
    const creator = await findKeyCreator(tx, keyId);
    if (creator === null || creator === actor.by) throw new ApiError(ownKey);
    const toConfirm = {
      act: JSON.stringify(['key.lift_limit', keyId]),
      business: key.business,
      does: `let a new ${key.environment} API key of ${key.business} pay up to its full limit`,
      facts: [
        ['Key', `${key.prefix}…`],
        ['Created by', creator],
      ] as const,
    };
    return { key, toConfirm };
  };
  return deps.inConfirmedTransaction(actor, { code, plan }, actor, async (tx, { key }) => {
    const outcome = await liftLimit(tx, { keyId, sessionId: actor.sessionId }, at);
    if (outcome === 'not_found') throw new ApiError(notFound);
    if (outcome === 'own') throw new ApiError(ownKey);
    if (outcome === 'not_admin') throw new ApiError(sessionEnded);
    const { partnerId, by, requestId: id } = actor;
    const { environment } = key;
    const done = { environment, action: 'key.lift_limit', status: 200, detail: keyId };
    await recordActivity(tx, { id, partnerId, by, ...done });
    await recordSecurityEvent(tx, actor, done);
    const message = keyLimitLiftedMail({ ...key, by, at, dashboardUrl: deps.dashboardUrl });
    await deps.notifyAdmins(tx, { kind: 'key-limit-lifted', message });
    return { environment };
  });
}
