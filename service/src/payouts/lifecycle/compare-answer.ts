import { openRecipientId, type Payment } from '../../banks/index.ts';
import type { Encryptor } from '../../platform/encryption.ts';
import type { OpenCase } from '../model/transition.ts';
import type { Payout } from '../model/payout.ts';

/** What is kept as the bank's word once an answer was about something else. Told once, and then searched for. */
export const differsWord = 'answer_differs';

/** The same, once the order can't be sent again as it was: the bank refuses its key, or its recipient. */
export const notSendableWord = 'not_sendable';

/** Whether to send the order again would tell nothing new: what the bank made of it is only in its list. */
export function isOnlySearched({ bankState }: Pick<Payout, 'bankState'>): boolean {
  return bankState === differsWord || bankState === notSendableWord;
}

/**
 * In which respect an answer of the bank is not about this payout, in words for people. Never what it says instead: bank
 * details do not belong in a case. What the bank leaves out is no difference.
 */
export function differingFields(
  { orderId, amount }: Pick<Payout, 'orderId' | 'amount'>,
  { ourReference, pays, recipientId }: Pick<Payment, 'ourReference' | 'pays' | 'recipientId'>,
  namedRecipientId: string | null,
): string[] {
  const found: string[] = [];
  if (ourReference !== null && ourReference !== orderId) found.push('reference');
  if (pays !== null && pays !== amount) found.push('amount');
  if (recipientId !== null && namedRecipientId !== null && recipientId !== namedRecipientId)
    found.push('recipient account');
  return found;
}

/** The recipient at the bank that a payout names; null where none is known, or what is kept of it is not of its account. */
export function namedRecipientOf({ encryptor }: { encryptor: Encryptor }, payout: Payout): string | null {
  const { bankRecipientEncrypted } = payout;
  return bankRecipientEncrypted === null ? null : openRecipientId(encryptor, payout, bankRecipientEncrypted);
}

export function caseOfDifference({ id }: Pick<Payment, 'id'>, fields: readonly string[]): OpenCase {
  return { kind: differsWord, detail: `what the bank says of payment ${id} has another ${fields.join(' and ')}` };
}
