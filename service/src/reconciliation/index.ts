// Whether our books and the bank's are the same: runs that compare them, and cases of what differs. It owns the cases of
// differences and their history; it only looks, and mends nothing in silence: a correction is an operator's.
export { cutOffAt } from './cut-off.ts';
export { runReconciliation, type RunReport } from './run-reconciliation.ts';
export type { ReconciliationDeps } from './deps.ts';
export {
  closeCase,
  closingActs,
  correctCase,
  CorrectionRefused,
  findCase,
  findRun,
  listAdminCases,
  listRunEnvironments,
  type ClosingAct,
  type CorrectionProblem,
  type AdminCase,
  type AdminRun,
  type AdminEnvironmentRun,
} from './admin/store.ts';
export { correctionLines, type Booking } from './admin/correction-lines.ts';
export { verifyCorrections } from './cases/verify-corrections.ts';
