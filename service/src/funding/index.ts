// How a partner's wallet is topped up: where to send money, what came, and when there is little left. It owns deposits and
// their states; it moves money only through the ledger, on the bank's own word, and never credits a deposit twice.
export { mergeDepositEvents, type DepositNews } from './merge-deposit-events.ts';
export { verifyFloats, verifyKeptSums } from './float/verify-floats.ts';
export { verifyDebts } from './verify-debts.ts';
export { verifyDeposits } from './verify-deposits.ts';
export type { FundingDeps } from './deps.ts';
export { wakeDeposit } from './wake-deposit.ts';
export { openWaitingFunding } from './open-waiting-funding.ts';
export {
  listFloatMoves,
  listFloatSummaries,
  listUncoveredPartners,
  type AdminFloatMove,
  type FloatSummary,
  type UncoveredPartner,
} from './admin/float-store.ts';
export { findAdminDeposit, listAdminDeposits, type DepositHistoryRow, type AdminDeposit } from './admin/store.ts';
