import { ApiError } from '../../platform/api-error.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import type { PartnerContext } from '../../platform/database/transaction.ts';
import { isBlockedByDebt } from '../records/find-payment-block.ts';

/** The partner may not pay. A debt is told, because a top-up ends it; any other reason is told by support. */
export async function notActive(calls: SingleCalls, of: PartnerContext): Promise<ApiError> {
  if (await isBlockedByDebt(calls, of))
    return new ApiError({
      code: 'partner_not_active',
      message:
        'This account owes USDC for a top-up that was reversed after it was spent. Top up the wallet to pay it back.',
    });
  return new ApiError({
    code: 'partner_not_active',
    message: 'This account cannot create payouts now.',
    contactSupport: true,
  });
}
