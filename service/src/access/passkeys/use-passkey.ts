import { recordSecurityEvent } from '../../activity/index.ts';
import type { PasskeyRequest } from '../../platform/acts/confirmed-act.ts';
import { inReadOnlyTransaction, inTransaction } from '../../platform/database/transaction.ts';
import type { PersonActor } from '../actor.ts';
import { askForPasskey } from './challenge.ts';
import type { PasskeyDeps } from './passkey-deps.ts';
import { findCredential, usePasskey } from './store.ts';
import { invalidPasskey, verifyUse, type SignedChallenge } from './verify.ts';

type UseDeps = Pick<PasskeyDeps, 'pool' | 'clock' | 'party'>;

/** What has to be signed before a session that a code opened can be used. */
export async function beginToProve(deps: UseDeps, person: PersonActor): Promise<PasskeyRequest> {
  const { by: email, sessionId } = person;
  return inTransaction(deps.pool, person, async (tx) =>
    askForPasskey(tx, deps.party, { sessionId, email }, { purpose: 'sign_in', at: deps.clock.now() }),
  );
}

/** Proves, by a passkey of the person's, a session or what its challenge was made to confirm. */
export async function provePerson(
  deps: UseDeps,
  person: PersonActor,
  { signed, purpose }: { signed: SignedChallenge; purpose: 'sign_in' | 'confirm' },
): Promise<void> {
  const { by: email, sessionId } = person;
  const passkey = await inReadOnlyTransaction(deps.pool, person, async (tx) =>
    findCredential(tx, { email, id: signed.id }),
  );
  if (passkey === null) throw invalidPasskey();
  const verified = await verifyUse(deps.party, passkey, signed);
  const isUsed = await inTransaction(deps.pool, person, async (tx) => {
    const used = await usePasskey(tx, verified, { sessionId, purpose }, deps.clock.now());
    if (used && purpose === 'sign_in') {
      const done = { action: 'login.passkey', status: 200, environment: null, detail: null };
      await recordSecurityEvent(tx, person, done);
    }
    return used;
  });
  if (!isUsed) throw invalidPasskey();
}
