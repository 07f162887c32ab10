import { recordActivity, recordSecurityEvent } from '../activity/index.ts';
import type { Clock } from '../platform/clock.ts';
import type { ActToConfirm, InConfirmedTransaction, NotifyAdmins } from '../platform/acts/confirmed-act.ts';
import type { PartnerContext, Transaction } from '../platform/database/transaction.ts';
import type { Origin } from '../platform/origin.ts';
import { addressesChangedMail, type ChangedAddress } from './mails/addresses-changed.ts';
import { lockAddresses, setAccount, type AccountSettings } from './store.ts';

export interface UpdateAccountDeps {
  clock: Clock;
  /** Refuses a session that is not an admin's any more. */
  inConfirmedTransaction: InConfirmedTransaction;
  notifyAdmins: NotifyAdmins;
  dashboardUrl: string;
}

interface AdminOfAccount extends PartnerContext {
  by: string;
  sessionId: string;
  requestId: string;
  origin: Origin;
}

interface PlannedUpdate {
  business: string;
  changed: ChangedAddress[];
  toConfirm: ActToConfirm | null;
}

const addresses = [
  ['contact_email', 'Contact email'],
  ['billing_email', 'Billing email'],
] as const;

async function planUpdate(tx: Transaction, partnerId: string, settings: AccountSettings): Promise<PlannedUpdate> {
  const { name: business, ...now } = await lockAddresses(tx, partnerId);
  const changed = addresses.flatMap(([field, label]): ChangedAddress[] => {
    const { [field]: to } = settings;
    return to === undefined || to === now[field] ? [] : [{ label, from: now[field], to }];
  });
  if (changed.length === 0) return { business, changed, toConfirm: null };
  const toConfirm = {
    act: JSON.stringify([
      'account.update',
      Object.entries(settings).toSorted(([one], [other]) => one.localeCompare(other)),
    ]),
    business,
    does: `change the ${changed.map(({ label }) => label.toLowerCase()).join(' and the ')} of ${business}`,
    facts: changed.map(({ label, from, to }) => [label, `${to ?? 'none'} (now: ${from ?? 'none'})`] as const),
  };
  return { business, changed, toConfirm };
}

/** Sets what an admin decides of the account. Where its email goes is confirmed by a code: alerts and invoices follow it. */
export async function updateAccount(
  { clock, inConfirmedTransaction, notifyAdmins, dashboardUrl }: UpdateAccountDeps,
  admin: AdminOfAccount,
  { settings, code }: { settings: AccountSettings; code: string | undefined },
): Promise<void> {
  const { partnerId, environment, by, requestId: id } = admin;
  const plan = async (tx: Transaction) => planUpdate(tx, partnerId, settings);
  await inConfirmedTransaction(admin, { code, plan }, admin, async (tx, { business, changed }) => {
    const done = { action: 'account.update', status: 200, detail: partnerId };
    if (changed.length > 0) {
      const message = addressesChangedMail({ business, changed, by, at: clock.now(), dashboardUrl });
      const replaced = changed.flatMap(({ from }) => (from === null ? [] : [from]));
      await notifyAdmins(tx, { kind: 'addresses-changed', message, also: replaced });
      // Whoever gets the invoices and the questions can be deceived with them; a logo can't deceive anybody.
      await recordSecurityEvent(tx, admin, { environment: null, ...done });
    }
    await setAccount(tx, partnerId, settings);
    await recordActivity(tx, { id, partnerId, environment, by, ...done });
  });
}
