import { recordActivity, recordSecurityEvent } from '../../activity/index.ts';
import type { NotifyAdmins } from '../../platform/acts/confirmed-act.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Transaction } from '../../platform/database/transaction.ts';
import { newId } from '../../platform/ids.ts';
import { keyRevokedMail } from '../mails/key-revoked.ts';
import { lockApiKey, revokeApiKeyRow } from '../store.ts';

interface RevokeDeps {
  clock: Clock;
  notifyAdmins: NotifyAdmins;
  dashboardUrl: string;
}

/** How a partner sees an operator: which person acted is in the audit log. */
const by = 'Kelpie support';

/**
 * Revokes a partner's key and emails its admins. Needs a transaction in the partner's context. Returns false if it is
 * revoked already.
 */
export async function revokeKeyAsOperator(
  tx: Transaction,
  { clock, notifyAdmins, dashboardUrl }: RevokeDeps,
  { partnerId, keyId }: { partnerId: string; keyId: string },
): Promise<boolean> {
  const key = await lockApiKey(tx, keyId);
  if (key === null || key.isRevoked) return false;
  const at = clock.now();
  const message = keyRevokedMail({ ...key, by, at, dashboardUrl });
  await notifyAdmins(tx, { kind: 'key-revoked', message });
  await revokeApiKeyRow(tx, keyId, at);
  const done = { environment: key.environment, action: 'key.revoke', status: 200, detail: keyId };
  const actor = { partnerId, by, requestId: newId(clock), origin: { network: null, browser: null } };
  await recordActivity(tx, { id: actor.requestId, partnerId, by, ...done });
  await recordSecurityEvent(tx, actor, done);
  return true;
}
