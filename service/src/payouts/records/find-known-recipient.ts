import type { SingleCalls } from '../../platform/database/single-call.ts';
import type { Payout } from '../model/payout.ts';
import { payoutCalls } from './calls.ts';

/** The recipient at the bank that was registered for the payout's account since, encrypted; null where none is known. */
export async function findKnownRecipient(
  calls: SingleCalls,
  { partnerId, environment, accountIndex }: Pick<Payout, 'partnerId' | 'environment' | 'accountIndex'>,
): Promise<Buffer | null> {
  if (accountIndex === null) return null;
  const values = [partnerId, environment, accountIndex];
  const [row] = await calls.call<{ find_known_recipient: Buffer | null }>(payoutCalls.findKnownRecipient, values);
  return row?.find_known_recipient ?? null;
}
