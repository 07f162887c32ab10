import { recordActivity, recordSecurityEvent } from '../activity/index.ts';
import type { Clock } from '../platform/clock.ts';
import type { ActToConfirm, InConfirmedTransaction, NotifyAdmins } from '../platform/acts/confirmed-act.ts';
import type { PartnerContext, Transaction } from '../platform/database/transaction.ts';
import { newId } from '../platform/ids.ts';
import type { MailLinks } from '../platform/mail/mail-links.ts';
import type { Outbox } from '../platform/mail/outbox.ts';
import type { Origin } from '../platform/origin.ts';
import { addressesChangedMail, type ChangedAddress } from './mails/addresses-changed.ts';
import { confirmAddressMail } from './mails/confirm-address.ts';
import { lockAddresses, setAccount, type AccountSettings } from './store.ts';

export interface UpdateAccountDeps {
  clock: Clock;
  /** Refuses a session that is not an admin's any more. */
  inConfirmedTransaction: InConfirmedTransaction;
  notifyAdmins: NotifyAdmins;
  outbox: Outbox;
  addressLinks: Pick<MailLinks, 'linkFor'>;
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
  /** Those that were replaced, and that somebody read. */
  replaced: string[];
  toConfirm: ActToConfirm | null;
}

const addresses = [
  ['contact_email', 'Contact email', 'alerts'],
  ['billing_email', 'Billing email', 'invoices'],
] as const;

async function planUpdate(tx: Transaction, partnerId: string, settings: AccountSettings): Promise<PlannedUpdate> {
  const { name: business, confirmed, ...now } = await lockAddresses(tx, partnerId);
  const changed = addresses.flatMap(([field, label]): ChangedAddress[] => {
    const { [field]: to } = settings;
    return to === undefined || to === now[field] ? [] : [{ label, from: now[field], to }];
  });
  const replaced = changed.flatMap(({ from }) => (from !== null && confirmed.includes(from) ? [from] : []));
  if (changed.length === 0) return { business, changed, replaced, toConfirm: null };
  const toConfirm = {
    act: JSON.stringify([
      'account.update',
      Object.entries(settings).toSorted(([one], [other]) => one.localeCompare(other)),
    ]),
    business,
    does: `change the ${changed.map(({ label }) => label.toLowerCase()).join(' and the ')} of ${business}`,
    facts: changed.map(({ label, from, to }) => [label, `${to ?? 'none'} (now: ${from ?? 'none'})`] as const),
  };
  return { business, changed, replaced, toConfirm };
}

/** One email to each new address, also where it gets both. */
async function askReaders(
  tx: Transaction,
  { clock, outbox, addressLinks }: UpdateAccountDeps,
  { partnerId, business, changed }: { partnerId: string; business: string; changed: readonly ChangedAddress[] },
): Promise<void> {
  for (const email of new Set(changed.flatMap(({ to }) => (to === null ? [] : [to])))) {
    const mailId = newId(clock);
    const gets = addresses.flatMap(([, label, what]) =>
      changed.some((one) => one.label === label && one.to === email) ? [what] : [],
    );
    const link = addressLinks.linkFor({ partnerId, mailId, email });
    const message = confirmAddressMail({ business, gets: gets.join(' and '), link });
    await outbox.post(tx, { id: mailId, kind: 'confirm-address', to: email, message });
  }
}

/** Sets what an admin decides of the account. Where its email goes is confirmed by a code: alerts and invoices follow it. */
export async function updateAccount(
  deps: UpdateAccountDeps,
  admin: AdminOfAccount,
  { settings, code }: { settings: AccountSettings; code: string | undefined },
): Promise<void> {
  const { clock, inConfirmedTransaction, notifyAdmins, dashboardUrl } = deps;
  const { partnerId, environment, by, requestId: id } = admin;
  const plan = async (tx: Transaction) => planUpdate(tx, partnerId, settings);
  await inConfirmedTransaction(admin, { code, plan }, admin, async (tx, { business, changed, replaced }) => {
    const done = { action: 'account.update', status: 200, detail: partnerId };
    if (changed.length > 0) {
      const message = addressesChangedMail({ business, changed, by, at: clock.now(), dashboardUrl });
      await notifyAdmins(tx, { kind: 'addresses-changed', message, also: replaced });
      await askReaders(tx, deps, { partnerId, business, changed });
      // Whoever gets the invoices and the questions can be deceived with them; a logo can't deceive anybody.
      await recordSecurityEvent(tx, admin, { environment: null, ...done });
    }
    await setAccount(tx, partnerId, settings);
    await recordActivity(tx, { id, partnerId, environment, by, ...done });
  });
}
