import { recordActivity, recordSecurityEvent } from '../activity/index.ts';
import type { Pool } from '../platform/database/pool.ts';
import { inTransaction, type PartnerContext, type Transaction } from '../platform/database/transaction.ts';
import type { Origin } from '../platform/origin.ts';
import { setAccount, type AccountSettings } from './store.ts';

export interface UpdateAccountDeps {
  pool: Pool;
  /** Refuses a session that is not an admin's any more. */
  requireAdmin: (tx: Transaction, sessionId: string) => Promise<void>;
}

interface AdminOfAccount extends PartnerContext {
  by: string;
  sessionId: string;
  requestId: string;
  origin: Origin;
}

/** Sets what an admin decides of the account: how its page looks, and who gets its papers. */
export async function updateAccount(
  { pool, requireAdmin }: UpdateAccountDeps,
  admin: AdminOfAccount,
  settings: AccountSettings,
): Promise<void> {
  const { partnerId, environment, by, requestId: id } = admin;
  await inTransaction(pool, admin, async (tx) => {
    await requireAdmin(tx, admin.sessionId);
    await setAccount(tx, partnerId, settings);
    const done = { action: 'account.update', status: 200, detail: partnerId };
    await recordActivity(tx, { id, partnerId, environment, by, ...done });
    // Whoever gets the invoices and the questions can be deceived with them; a logo can't deceive anybody.
    if (changesAddresses(settings)) await recordSecurityEvent(tx, admin, { environment: null, ...done });
  });
}

function changesAddresses({ billing_email: billing, contact_email: contact }: AccountSettings): boolean {
  return billing !== undefined || contact !== undefined;
}
