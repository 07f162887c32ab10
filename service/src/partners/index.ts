// The businesses that pay out through Kelpie, and what each has in its two environments: a rail, a wallet at the bank, a
// price plan. It knows nothing of payouts.
export { createAddressLinks } from './address-links.ts';
export { payoutLimits } from './limits.ts';
export { openPartner } from './open-partner.ts';
export { getAccount } from './store.ts';
export { isActive, type PartnerEnvironment, type PaymentBlock, type Rail } from './environment.ts';
export { createPlanMarkups, type PlanMarkups } from './plan-markups.ts';
export { createPartnerEnvironments, type PartnerEnvironments } from './environments.ts';
export {
  environmentAtBankFrom,
  listEnvironmentsAtBanks,
  type EnvironmentAtBank,
  type EnvironmentAtBankRow,
} from './environments-at-banks.ts';
export { refreshVerifications, wakeVerification } from './verification/wake-verification.ts';
export { planActivation, planSuspension } from './admin/change-status.ts';
export { refreshStatus, recordStarted, planVerification, startAtBank } from './admin/verify-partner.ts';
export {
  activatePartner,
  clearScreening,
  closePartner,
  createPricePlan,
  findClosingObstacle,
  findPartner,
  listPartners,
  listPricePlans,
  listEnvironments,
  setPricePlan,
  setRateFactor,
  setScreening,
  suspendPartner,
  type AdminPartner,
  type AdminEnvironment,
  type ClosingObstacle,
  type PricePlan,
} from './admin/store.ts';
