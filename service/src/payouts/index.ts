// Payouts, from the order to the end: quotes, creation, what the bank says of them, cancelling. It owns the states of a
// payout and its idempotency keys; it moves money only through the ledger, and never pays twice.
export type { Banks } from './model/banks.ts';
export type { PayoutDeps } from './lifecycle/deps.ts';
export { createRates } from './pricing/rates.ts';
export { createNameOldPayouts, type NameOldPayouts } from './reading/name-old-payouts.ts';
export { createPayoutReader } from './reading/read-payouts.ts';
export { createKnownPayouts } from './records/known-payouts.ts';
export { payoutCalls } from './records/calls.ts';
export { createCommits } from './records/commits.ts';
export { createPayoutMetrics } from './records/payout-metrics.ts';
export { digestArchivedOrders, digestOrders } from './records/digest-payouts.ts';
export { listEarlierPayouts, verifyArchivedKeys, verifyPayouts, type LeftPayouts } from './records/verify-payouts.ts';
export { openRecipient } from './records/encrypted-recipient.ts';
export { openNewestRecipient } from './records/newest-recipient.ts';
export { changeIndexes, type ChangedIndexes } from './records/change-indexes.ts';
export { createWebhookReceiver } from './lifecycle/receive-webhook.ts';
export { startSweep } from './lifecycle/sweep.ts';
export { auditTrailAsJson, readAuditTrail, type AuditTrail } from './admin/audit-trail.ts';
export {
  blockPayments,
  findBlock,
  freezePartner,
  liftBlock,
  listPaymentBlocks,
  unfreezePartner,
  type NewBlock,
  type PaymentBlockRow,
} from './admin/payment-blocks.ts';
export { findClaim, listStuckPayouts, makePayoutDue, type StuckPayout } from './admin/store.ts';
export {
  PayoutActRefused,
  performPayoutAct,
  planAdoption,
  planRelease,
  planSettlement,
  type ActedOn,
  type PayoutActProblem,
  type PlannedAct,
} from './admin/acts.ts';
export { lowerHighestLimit, raiseHighestLimit } from './admin/limits.ts';
export { leftOf, readLimits, type LimitsToday } from './spending/read-limits.ts';
export { lowestLimit, mostLimit } from './spending/store.ts';
export { beginRecovery, openRecovery, readRecovery, type RecoveryStanding } from './admin/recovery-store.ts';
export { runImport, type ImportReport } from './recovery/run-import.ts';
