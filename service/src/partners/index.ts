// The businesses that pay out through Kelpie, and what each has in its two environments: a rail, a wallet at the bank, a
// price plan. It knows nothing of payouts.
export { payoutLimits } from './limits.ts';
export { connectWaitingSandboxes } from './connect-waiting-sandboxes.ts';
export { openSandbox } from './open-sandbox.ts';
export { getAccount } from './store.ts';
export type { PartnerSide, Rail } from './side.ts';
export { createPlanMarkups, type PlanMarkups } from './plan-markups.ts';
export { createSides, type Sides } from './sides.ts';
export { followDueVerifications } from './verification/follow-due-verifications.ts';
export { followVerifications, hintVerification } from './verification/hint-verification.ts';
export { planActivation, planSuspension } from './operating/change-status.ts';
export { askAgain, noteStarted, planVerification, startAtBank } from './operating/verify-partner.ts';
export {
  createPricePlan,
  findPartner,
  listPartners,
  listPricePlans,
  listSides,
  setPricePlan,
  setRateFactor,
  setStatus,
  type OperatedPartner,
  type OperatedSide,
  type PricePlan,
} from './operating/store.ts';
