import type { PaymentBlock } from '../../partners/index.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import type { PartnerContext } from '../../platform/database/transaction.ts';
import type { Payout } from '../model/payout.ts';
import { payoutCalls } from './calls.ts';

/** Why nothing may be sent for this payout now; null where it may. */
export async function findPaymentBlock(
  calls: SingleCalls,
  { partnerId, environment, rail }: Pick<Payout, 'partnerId' | 'environment' | 'rail'>,
): Promise<PaymentBlock | null> {
  const values = [partnerId, environment, rail];
  const [row] = await calls.call<{ find_payment_block: PaymentBlock | null }>(payoutCalls.findPaymentBlock, values);
  return row?.find_payment_block ?? null;
}

/** Whether a debt is the only reason for which the partner may not pay. */
export async function isBlockedByDebt(
  calls: SingleCalls,
  { partnerId, environment }: PartnerContext,
): Promise<boolean> {
  const values = [partnerId, environment];
  const [row] = await calls.call<{ is_blocked_by_debt: boolean }>(payoutCalls.isBlockedByDebt, values);
  return row?.is_blocked_by_debt ?? false;
}
