// Payouts, from the order to the end: quotes, creation, what the bank says of them, cancelling. It owns the states of a
// payout and its idempotency keys; it moves money only through the ledger, and never pays twice.
export type { Banks } from './banks.ts';
export { findLateReturns } from './following/find-late-returns.ts';
export type { PayoutDeps } from './deps.ts';
export { createRates } from './creating/rates.ts';
export { createPayoutReader } from './read-payouts.ts';
export { payoutCalls } from './calls.ts';
export { createCommits } from './commits/commits.ts';
export { startSweep } from './following/sweep.ts';
export { formatAuditTrail, readAuditTrail, auditTrailAsJson } from './audit-trail.ts';
export { listStuckPayouts, makePayoutDue, type StuckPayout } from './admin/store.ts';
