import { caseCorrection } from './cases.ts';
import { invoiceVoiding } from './invoice-acts.ts';
import { limitRaising } from './limits.ts';
import { memberRestoring, passkeysResetting } from './members.ts';
import { partnerActivation, screeningClearance } from './partner-acts.ts';
import { partnerClosing } from './partner-close.ts';
import { partnerUnfreezing } from './partner-freeze.ts';
import { payoutActs } from './payout-acts.ts';
import { memberErasing, recipientErasing } from './people.ts';
import type { ApprovedAct } from './propose.ts';
import { blockLifting } from './rails.ts';
import { recoveryOpening } from './recovery.ts';

/** Every act that needs two persons, by its action in the audit log. */
export const approvedActs: ReadonlyMap<string, ApprovedAct> = new Map([
  ['case.correct', caseCorrection],
  ['invoice.void', invoiceVoiding],
  ['partner.close', partnerClosing],
  ['limits.raise', limitRaising],
  ['rail.resume', blockLifting],
  ['partner.activate', partnerActivation],
  ['partner.clear_screening', screeningClearance],
  ['recovery.open', recoveryOpening],
  ['partner.unfreeze', partnerUnfreezing],
  ['member.restore', memberRestoring],
  ['member.reset_passkeys', passkeysResetting],
  ['person.erase', memberErasing],
  ['recipient.erase', recipientErasing],
  ...payoutActs,
]);
