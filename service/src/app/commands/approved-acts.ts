import { caseCorrection } from './cases.ts';
import type { ApprovedAct } from './propose.ts';

/** Every act that needs two persons, by its action in the audit log. */
export const approvedActs: ReadonlyMap<string, ApprovedAct> = new Map([['case.correct', caseCorrection]]);
