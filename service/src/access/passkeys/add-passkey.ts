import { recordSecurityEvent } from '../../activity/index.ts';
import type { PasskeyRequest } from '../../platform/acts/confirmed-act.ts';
import { ApiError } from '../../platform/api-error.ts';
import { inTransaction, type Transaction } from '../../platform/database/transaction.ts';
import { newId } from '../../platform/ids.ts';
import type { PersonActor } from '../actor.ts';
import { passkeyChangedMail } from '../mails/passkey-change.ts';
import { lockPeople } from '../members/store.ts';
import { notifyPerson } from '../notifying/notify-admins.ts';
import { askForPasskey } from './challenge.ts';
import type { PasskeyDeps } from './passkey-deps.ts';
import { addPasskey, findPasskey, type AddedPasskey, type Passkey } from './store.ts';
import { invalidPasskey, verifyNewCredential, type NewCredential } from './verify.ts';

/** What a browser makes a new passkey with. */
export interface AddRequest extends PasskeyRequest {
  user: { id: string; name: string };
}

function withUser(
  { handleDigest }: PasskeyDeps,
  { partnerId, by }: Pick<PersonActor, 'partnerId' | 'by'>,
  request: PasskeyRequest,
): AddRequest {
  return { ...request, user: { id: handleDigest(`${partnerId}|${by}`).toString('base64url'), name: by } };
}

/** Begins to add one, which a passkey confirms, or for the first one an emailed code. */
export async function beginToAdd(
  deps: PasskeyDeps,
  person: PersonActor,
  code: string | undefined,
): Promise<AddRequest> {
  const { partnerId, by: email, sessionId } = person;
  const plan = async (tx: Transaction) => {
    const { name: business } = await lockPeople(tx, partnerId);
    const toConfirm = {
      act: JSON.stringify(['passkey.add', email]),
      business,
      does: `add a passkey for ${email} at ${business}`,
      facts: [['Member', email]] as const,
    };
    return { toConfirm };
  };
  const request = await deps.inConfirmedTransaction(person, { code, plan, by: 'member' }, person, async (tx) =>
    askForPasskey(tx, deps.party, { sessionId, email }, { purpose: 'add', at: deps.clock.now() }),
  );
  return withUser(deps, person, request);
}

/** The same for a first one at sign-in, where the account requires it: the code that opened the session has confirmed it. */
export async function beginFirst(deps: PasskeyDeps, person: PersonActor): Promise<AddRequest> {
  const { by: email, sessionId } = person;
  const request = await inTransaction(deps.pool, person, async (tx) =>
    askForPasskey(tx, deps.party, { sessionId, email }, { purpose: 'add', at: deps.clock.now() }),
  );
  return withUser(deps, person, request);
}

function refusalOf(outcome: Exclude<AddedPasskey, 'added'>): ApiError {
  if (outcome !== 'too_many') return invalidPasskey();
  return new ApiError({ code: 'invalid_request', message: 'You have ten passkeys. Remove one first.' });
}

/** Adds what an authenticator made for a challenge of this session. From then on the person needs a passkey. */
export async function addNewPasskey(
  deps: PasskeyDeps,
  person: PersonActor,
  { name, credential }: { name: string; credential: NewCredential },
): Promise<Passkey> {
  const verified = await verifyNewCredential(deps.party, credential);
  const { partnerId, by: email, sessionId } = person;
  const id = newId(deps.clock);
  const at = deps.clock.now();
  const outcome = await inTransaction(deps.pool, person, async (tx) => {
    const { name: business } = await lockPeople(tx, partnerId);
    const added = await addPasskey(tx, verified, { id, name, sessionId }, at);
    // What was refused is committed too: its challenge is used up.
    if (added !== 'added') return added;
    const message = passkeyChangedMail('added', { business, email, name, at });
    await notifyPerson(tx, deps, { partnerId, email, kind: 'passkey-added', message });
    const done = { action: 'passkey.add', status: 200, environment: null, detail: email };
    await recordSecurityEvent(tx, person, done);
    return findPasskey(tx, { id, email });
  });
  if (outcome === null) throw new Error('a passkey that was added is not there');
  if (typeof outcome === 'string') throw refusalOf(outcome);
  return outcome;
}
