import { recordActivity } from '../activity/index.ts';
import type { Pool } from '../platform/database/pool.ts';
import { inTransaction, type PartnerContext, type Transaction } from '../platform/database/transaction.ts';
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
}

/** Sets what an admin decides of the account: how its page looks, and who gets its papers. */
export async function updateAccount(
  { pool, requireAdmin }: UpdateAccountDeps,
  { sessionId, requestId: id, ...admin }: AdminOfAccount,
  settings: AccountSettings,
): Promise<void> {
  await inTransaction(pool, admin, async (tx) => {
    await requireAdmin(tx, sessionId);
    await setAccount(tx, admin.partnerId, settings);
    await recordActivity(tx, { ...admin, id, action: 'account.update', status: 200, detail: admin.partnerId });
  });
}
