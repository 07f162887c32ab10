import { recordActivity } from '../../activity/index.ts';
import { ApiError, sessionEnded } from '../../platform/api-error.ts';
import type { Pool } from '../../platform/database/pool.ts';
import { inReadOnlyTransaction, inTransaction } from '../../platform/database/transaction.ts';
import type { Actor } from '../actor.ts';
import { findNotificationSettings, setNotificationSettings, type NotificationSettings } from './store.ts';

/** Someone who was removed a moment ago has no settings any more. */
function assertMember(settings: NotificationSettings | null): NotificationSettings {
  if (settings === null) throw new ApiError(sessionEnded);
  return settings;
}

export async function getNotificationSettings(
  { pool }: { pool: Pool },
  person: Pick<Actor, 'partnerId' | 'environment' | 'by'>,
): Promise<NotificationSettings> {
  return inReadOnlyTransaction(pool, person, async (tx) => assertMember(await findNotificationSettings(tx, person.by)));
}

/** Anyone may change their own, viewers too. What is left out stays as it is. */
export async function updateNotificationSettings(
  { pool }: { pool: Pool },
  { partnerId, environment, by, requestId: id }: Actor,
  change: Partial<NotificationSettings>,
): Promise<NotificationSettings> {
  return inTransaction(pool, { partnerId, environment }, async (tx) => {
    const settings = assertMember(await setNotificationSettings(tx, by, change));
    const action = 'notification.update';
    await recordActivity(tx, { id, partnerId, environment: null, action, status: 200, by, detail: null });
    return settings;
  });
}
