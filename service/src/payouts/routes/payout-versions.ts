import type { SingleCalls } from '../../platform/database/single-call.ts';
import { listPayoutVersions, type PayoutVersion } from '../records/payout-store.ts';
import { payout as example } from './examples.ts';
import { PayoutSchema } from './schemas.ts';
import { payoutBody } from './wire-form.ts';

/** Payouts as events show them: each as the API returned it then. */
export function describePayoutVersions(calls: SingleCalls) {
  return {
    schema: PayoutSchema.ref,
    example,
    showVersions: async (versions: readonly PayoutVersion[]) =>
      (await listPayoutVersions(calls, versions)).map(payoutBody),
  };
}
