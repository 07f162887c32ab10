import { approvalAttacks } from './approvals.ts';
import type { Attack } from './attempts.ts';
import { browserAttacks } from './browsers.ts';
import { codeAttacks } from './codes.ts';
import { crossSiteAttacks } from './cross-site.ts';
import { evidenceAttacks } from './evidence.ts';
import { floodAttacks } from './floods.ts';
import { freezeAttacks } from './freeze.ts';
import { isolationAttacks } from './isolation.ts';
import { keyAttacks } from './keys.ts';
import { nameAttacks } from './names.ts';
import { operatorAttacks } from './operators.ts';
import { outputAttacks } from './output.ts';
import { passkeyAttacks } from './passkeys.ts';
import { requestAttacks } from './requests.ts';
import { roleAttacks } from './roles.ts';
import { sessionAttacks } from './sessions.ts';
import { signInAttacks } from './sign-in.ts';
import { spendingAttacks } from './spending.ts';
import { takeoverAttacks } from './takeover.ts';
import { tamperingAttacks } from './tampering.ts';
import { unsolicitedAttacks } from './unsolicited.ts';

/** All of them, in the order in which they run. */
export const attacks: readonly Attack[] = [
  ...takeoverAttacks,
  ...codeAttacks,
  ...passkeyAttacks,
  ...spendingAttacks,
  ...approvalAttacks,
  ...evidenceAttacks,
  ...keyAttacks,
  ...freezeAttacks,
  ...tamperingAttacks,
  ...operatorAttacks,
  ...sessionAttacks,
  ...signInAttacks,
  ...roleAttacks,
  ...isolationAttacks,
  ...crossSiteAttacks,
  ...requestAttacks,
  ...floodAttacks,
  ...outputAttacks,
  ...browserAttacks,
  ...nameAttacks,
  ...unsolicitedAttacks,
];
