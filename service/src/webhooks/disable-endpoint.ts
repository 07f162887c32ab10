import type { NotifyAdmins } from '../platform/acts/confirmed-act.ts';
import type { Clock } from '../platform/clock.ts';
import type { Pool } from '../platform/database/pool.ts';
import { inTransaction, type PartnerContext } from '../platform/database/transaction.ts';
import { endpointDisabledMail } from './mails/endpoint-disabled.ts';
import { disableFailing, lockBusiness } from './store.ts';

interface DisablingDeps {
  pool: Pool;
  clock: Clock;
  notifyAdmins: NotifyAdmins;
  /** Null where there is no dashboard: then the email has no link. */
  dashboardUrl: string | null;
}

/** One that failed for three days. If this does not happen, the next failed attempt leads here again. */
export async function disableEndpoint(
  { pool, clock, notifyAdmins, dashboardUrl }: DisablingDeps,
  { endpointId, ...of }: PartnerContext & { endpointId: string },
): Promise<void> {
  const now = clock.now();
  await inTransaction(pool, of, async (tx) => {
    const business = await lockBusiness(tx, of);
    const endpoint = await disableFailing(tx, endpointId, now);
    if (endpoint === null) return;
    const message = endpointDisabledMail({ business, endpoint, at: now, dashboardUrl });
    await notifyAdmins(tx, { kind: 'webhook-disabled', message });
  });
}
