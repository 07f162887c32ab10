import { randomBytes } from 'node:crypto';
import type { Transaction } from '../../platform/database/transaction.ts';
import type { PasskeyRequest } from '../../platform/acts/confirmed-act.ts';
import type { RelyingParty } from './relying-party.ts';
import { addChallenge, listCredentials, type Purpose } from './store.ts';

interface ChallengedPerson {
  sessionId: string;
  email: string;
}

/** Records a challenge for one purpose in one session. In a transaction of the partner's. */
export async function askForPasskey(
  tx: Transaction,
  party: RelyingParty,
  { sessionId, email }: ChallengedPerson,
  { purpose, confirmationId = null, at }: { purpose: Purpose; confirmationId?: string | null; at: Date },
): Promise<PasskeyRequest> {
  const bytes = randomBytes(32);
  await addChallenge(tx, { challenge: bytes, sessionId, purpose, confirmationId }, at);
  return { challenge: bytes.toString('base64url'), rp_id: party.id, credentials: await listCredentials(tx, email) };
}
