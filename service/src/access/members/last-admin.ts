import type { Transaction } from '../../platform/database/transaction.ts';
import { ApiError } from '../../platform/api-error.ts';
import { countMembers, type Member } from './store.ts';

/** Refuses to take an admin's role where there is no other: nobody could give it back. Only under the lock of people. */
export async function refuseLastAdmin(tx: Transaction, { role }: Member): Promise<void> {
  if (role !== 'admin' || (await countMembers(tx)).admins > 1) return;
  throw new ApiError({
    code: 'last_admin',
    message: 'This is the only admin of the account. Make another member an admin first.',
  });
}
