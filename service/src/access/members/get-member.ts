import type { Transaction } from '../../platform/database/transaction.ts';
import { ApiError } from '../../platform/api-error.ts';
import { findMember, type Member } from './store.ts';

export async function getMember(tx: Transaction, email: string): Promise<Member> {
  const member = await findMember(tx, email);
  if (member === null) throw new ApiError({ code: 'not_found', message: 'No member has this email address.' });
  return member;
}
