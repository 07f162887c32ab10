import type { Transaction } from '../../platform/database/transaction.ts';
import { ApiError, sessionEnded } from '../../platform/api-error.ts';
import { isAdminSession, isMemberSession } from './store.ts';

/**
 * Who a session stands for is remembered for a moment. In that moment somebody who was just removed could make a key or
 * invite a friend, and stay: so whatever an admin changes looks again, in its own commit.
 */
export async function requireAdmin(tx: Transaction, sessionId: string): Promise<void> {
  if (!(await isAdminSession(tx, sessionId))) throw new ApiError(sessionEnded);
}

/** The same of whatever a viewer may change too. */
export async function requireMember(tx: Transaction, sessionId: string): Promise<void> {
  if (!(await isMemberSession(tx, sessionId))) throw new ApiError(sessionEnded);
}
