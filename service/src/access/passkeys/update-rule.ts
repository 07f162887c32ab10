import { recordSecurityEvent } from '../../activity/index.ts';
import { ApiError } from '../../platform/api-error.ts';
import type { Transaction } from '../../platform/database/transaction.ts';
import type { AdminActor } from '../actor.ts';
import { passkeyRuleMail } from '../mails/passkey-change.ts';
import { lockPeople } from '../members/store.ts';
import type { PasskeyDeps } from './passkey-deps.ts';
import { readRule, setRule } from './store.ts';

/** Requires a passkey of every member, once each has one, or no longer does. A passkey of the admin confirms it. */
export async function updateRule(
  { clock, inConfirmedTransaction, notifyAdmins }: PasskeyDeps,
  admin: AdminActor,
  { required, code }: { required: boolean; code: string | undefined },
): Promise<void> {
  const plan = async (tx: Transaction) => {
    const { name: business } = await lockPeople(tx, admin.partnerId);
    const now = await readRule(tx);
    const missing = now.without.length;
    if (required && !now.required && missing > 0)
      throw new ApiError({
        code: 'passkey_required',
        message: `Every member needs a passkey first: ${missing} ${missing === 1 ? 'has' : 'have'} none.`,
      });
    const toConfirm = {
      act: JSON.stringify(['passkey_rule.update', required]),
      business,
      does: required ? `require passkeys at ${business}` : `stop requiring passkeys at ${business}`,
      facts: [['Passkeys', required ? 'required' : 'optional']] as const,
    };
    return { business, changes: now.required !== required, toConfirm: now.required === required ? null : toConfirm };
  };
  await inConfirmedTransaction(admin, { code, plan }, admin, async (tx, { business, changes }) => {
    if (!changes) return;
    await setRule(tx, required);
    const message = passkeyRuleMail({ business, required, by: admin.by, at: clock.now() });
    await notifyAdmins(tx, { kind: 'passkey-rule', message });
    const detail = required ? 'required' : 'optional';
    await recordSecurityEvent(tx, admin, { action: 'passkey_rule.update', status: 200, environment: null, detail });
  });
}
