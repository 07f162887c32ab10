import { recordActivity } from '../../activity/index.ts';
import { inTransaction } from '../../platform/database/transaction.ts';
import type { AdminActor } from '../actor.ts';
import { keyRevokedMail } from '../mails/key-revoked.ts';
import { requireAdmin } from '../members/require-admin.ts';
import { lockApiKey, revokeApiKeyRow } from '../store.ts';
import type { KeyChangeDeps } from './key-deps.ts';
import { notifyAdmins } from './notify-admins.ts';

type Revocation = 'revoked' | 'was_revoked' | 'not_found';

/** From its commit on the key pays nothing any more, on whatever process; it reads for less than a second. */
export async function revokeKey(
  deps: Omit<KeyChangeDeps, 'pepper'>,
  actor: AdminActor,
  keyId: string,
): Promise<Revocation> {
  return inTransaction(deps.pool, actor, async (tx) => {
    const key = await lockApiKey(tx, keyId);
    if (key === null) return 'not_found';
    if (key.is_revoked) return 'was_revoked';
    await requireAdmin(tx, actor.sessionId);
    const at = deps.clock.now();
    await revokeApiKeyRow(tx, keyId, at);
    const { partnerId, by, requestId: id } = actor;
    const { environment } = key;
    await recordActivity(tx, { id, partnerId, environment, action: 'key.revoke', status: 200, by, detail: keyId });
    const message = keyRevokedMail({ ...key, by, at, keysUrl: deps.dashboardUrl });
    await notifyAdmins(tx, deps.outbox, { kind: 'key-revoked', message });
    return 'revoked';
  });
}
