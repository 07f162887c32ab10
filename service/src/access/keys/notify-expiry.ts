import type { Clock } from '../../platform/clock.ts';
import type { Pool } from '../../platform/database/pool.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import { inTransaction } from '../../platform/database/transaction.ts';
import type { Outbox } from '../../platform/mail/outbox.ts';
import { keyExpiringMail } from '../mails/key-expiring.ts';
import { listAdminEmails } from '../members/store.ts';
import { listExpiringKeys, lockApiKey, markExpiryNotified, type ExpiringKey } from '../store.ts';

interface ExpiryDeps {
  pool: Pool;
  calls: SingleCalls;
  clock: Clock;
  outbox: Outbox;
  /** Null where emails have no link. */
  dashboardUrl: string | null;
}

/** More than expire in a day. What is left over is emailed the next day. */
const atMost = 1_000;

/** Emails every admin of each key that expires within a week, once. Returns how many keys. */
export async function notifyExpiry(deps: ExpiryDeps, signal: AbortSignal): Promise<number> {
  let notified = 0;
  for (const key of await listExpiringKeys(deps.calls, deps.clock.now(), atMost)) {
    signal.throwIfAborted();
    if (await notifyOf(deps, key)) notified += 1;
  }
  return notified;
}

async function notifyOf({ pool, clock, outbox, dashboardUrl }: ExpiryDeps, found: ExpiringKey): Promise<boolean> {
  const context = { partnerId: found.partner_id, environment: found.environment };
  return inTransaction(pool, context, async (tx) => {
    const key = await lockApiKey(tx, found.id);
    // Revoked, or emailed by another worker, since the list was read.
    if (key === null || key.isRevoked || key.expiresAt === null) return false;
    if (!(await markExpiryNotified(tx, found.id, clock.now()))) return false;
    const message = keyExpiringMail({ ...key, expiresAt: key.expiresAt, dashboardUrl });
    for (const to of await listAdminEmails(tx)) await outbox.post(tx, { kind: 'key-expiring', to, message });
    return true;
  });
}
