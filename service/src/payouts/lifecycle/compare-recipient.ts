import type { Recipient } from '../../banks/index.ts';
import { newId } from '../../platform/ids.ts';
import { bankOf } from '../model/banks.ts';
import type { Payout } from '../model/payout.ts';
import type { PayoutDeps } from './deps.ts';

/**
 * Whether a payment of the bank's goes to this recipient. The bank knows a recipient that it has, and says its id when it is
 * registered again. Each time under a new key: the bank refuses one that was used for another recipient, or is a day old.
 */
export async function compareRecipient(
  { banks, partnerEnvironments, clock }: Pick<PayoutDeps, 'banks' | 'partnerEnvironments' | 'clock'>,
  payout: Pick<Payout, 'partnerId' | 'environment' | 'rail'>,
  { recipient, recipientId }: { recipient: Recipient; recipientId: string | null },
): Promise<'same' | 'other' | 'unknown'> {
  const { bankCustomerId: customerId } = await partnerEnvironments.get(payout);
  const bank = bankOf(banks, payout.rail);
  const registered = await bank.registerRecipient({ customerId, recipient, idempotencyKey: newId(clock) });
  if (registered.kind === 'failed' || registered.kind === 'refused') return 'unknown';
  return registered.kind === 'registered' && registered.recipientId === recipientId ? 'same' : 'other';
}
