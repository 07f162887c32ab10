import type { SingleCalls } from '../../platform/database/single-call.ts';
import type { Payout } from '../model/payout.ts';
import { payoutCalls } from './calls.ts';

/** What only the partner knows of a payout that was rebuilt from the bank's record. */
export interface AdoptedOrder {
  idempotencyKey: string;
  fingerprint: Buffer;
  reference: string | null;
  bankReference: string;
  recipientName: string;
  accountLast4: string;
  recipientEncrypted: Buffer;
  accountIndex: Buffer;
  by: string;
  at: Date;
}

/** Says whether this order is the payout's now. Not where another was quicker. */
export async function adoptRecoveredPayout(calls: SingleCalls, payout: Payout, order: AdoptedOrder): Promise<boolean> {
  const [row] = await calls.call<{ adopt_recovered_payout: boolean }>(payoutCalls.adoptRecovered, [
    payout.partnerId,
    payout.environment,
    payout.orderId,
    payout.id,
    order.idempotencyKey,
    order.fingerprint,
    order.reference,
    order.bankReference,
    order.recipientName,
    order.accountLast4,
    order.recipientEncrypted,
    order.accountIndex,
    order.by,
    order.at,
  ]);
  return row?.adopt_recovered_payout === true;
}
