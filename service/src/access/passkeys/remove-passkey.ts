import { recordSecurityEvent } from '../../activity/index.ts';
import { ApiError } from '../../platform/api-error.ts';
import { inTransaction, type Transaction } from '../../platform/database/transaction.ts';
import type { PersonActor } from '../actor.ts';
import { passkeyChangedMail } from '../mails/passkey-change.ts';
import { lockPeople } from '../members/store.ts';
import { notifyPerson } from '../notifying/notify-admins.ts';
import type { PasskeyDeps } from './passkey-deps.ts';
import { deletePasskey, findPasskey, listPasskeys, readRule, renamePasskey, type Passkey } from './store.ts';

const noSuchPasskey = { code: 'not_found', message: 'You have no passkey with this id.' } as const;

async function getPasskey(tx: Transaction, of: { id: string; email: string }): Promise<Passkey> {
  const passkey = await findPasskey(tx, of);
  if (passkey === null) throw new ApiError(noSuchPasskey);
  return passkey;
}

export async function rename(
  { pool }: PasskeyDeps,
  person: PersonActor,
  { id, name }: { id: string; name: string },
): Promise<Passkey> {
  const email = person.by;
  return inTransaction(pool, person, async (tx) => {
    if (!(await renamePasskey(tx, { id, email, name }))) throw new ApiError(noSuchPasskey);
    return getPasskey(tx, { id, email });
  });
}

/** Removes one of the person's passkeys, which one of them confirms: also the one that is removed. */
export async function removePasskey(
  deps: PasskeyDeps,
  person: PersonActor,
  { id, code }: { id: string; code: string | undefined },
): Promise<void> {
  const { partnerId, by: email } = person;
  const plan = async (tx: Transaction) => {
    const { name: business } = await lockPeople(tx, partnerId);
    const { name } = await getPasskey(tx, { id, email });
    if ((await readRule(tx)).required && (await listPasskeys(tx, email)).length === 1)
      throw new ApiError({
        code: 'passkey_required',
        message: 'This is your only passkey, and the account requires one. Add another one first.',
      });
    const act = JSON.stringify(['passkey.remove', id]);
    const does = `remove a passkey of ${email} at ${business}`;
    return { business, name, toConfirm: { act, business, does, facts: [['Passkey', name]] as const } };
  };
  await deps.inConfirmedTransaction(person, { code, plan, by: 'member' }, person, async (tx, { business, name }) => {
    await deletePasskey(tx, { id, email });
    const message = passkeyChangedMail('removed', { business, email, name, at: deps.clock.now() });
    await notifyPerson(tx, deps, { partnerId, email, kind: 'passkey-removed', message });
    const done = { action: 'passkey.remove', status: 200, environment: null, detail: email };
    await recordSecurityEvent(tx, person, done);
  });
}
