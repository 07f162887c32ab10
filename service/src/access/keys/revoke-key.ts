import { recordActivity, recordSecurityEvent } from '../../activity/index.ts';
import { inTransaction, type PartnerContext } from '../../platform/database/transaction.ts';
import type { AdminActor } from '../actor.ts';
import { keyRevokedMail } from '../mails/key-revoked.ts';
import { requireAdmin } from '../members/require-admin.ts';
import { lockApiKey, revokeApiKeyRow } from '../store.ts';
import type { KeyChangeDeps } from './key-deps.ts';

type Revocation =
  | { kind: 'revoked' | 'was_revoked'; environment: PartnerContext['environment'] }
  | { kind: 'not_found' };

/** From its commit on the key pays nothing any more, on whatever process; it reads for less than a second. */
export async function revokeKey(
  deps: Omit<KeyChangeDeps, 'pepper' | 'inConfirmedTransaction'>,
  actor: AdminActor,
  keyId: string,
): Promise<Revocation> {
  return inTransaction(deps.pool, actor, async (tx) => {
    const key = await lockApiKey(tx, keyId);
    if (key === null) return { kind: 'not_found' };
    const { environment } = key;
    if (key.isRevoked) return { kind: 'was_revoked', environment };
    await requireAdmin(tx, actor.sessionId);
    const at = deps.clock.now();
    await revokeApiKeyRow(tx, keyId, at);
    const { partnerId, by, requestId: id } = actor;
    const done = { environment, action: 'key.revoke', status: 200, detail: keyId };
    await recordActivity(tx, { id, partnerId, by, ...done });
    await recordSecurityEvent(tx, actor, done);
    const message = keyRevokedMail({ ...key, by, at, dashboardUrl: deps.dashboardUrl });
    await deps.notifyAdmins(tx, { kind: 'key-revoked', message });
    return { kind: 'revoked', environment };
  });
}
