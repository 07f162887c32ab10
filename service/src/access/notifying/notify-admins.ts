import type { Clock } from '../../platform/clock.ts';
import type { NotifyAdmins } from '../../platform/acts/confirmed-act.ts';
import { newId } from '../../platform/ids.ts';
import type { MailBlock, MailMessage } from '../../platform/mail/layout.ts';
import type { Transaction } from '../../platform/database/transaction.ts';
import type { Outbox } from '../../platform/mail/outbox.ts';
import { getCurrentPartner, listAdminEmails } from '../members/store.ts';
import type { MailLinks } from '../../platform/mail/mail-links.ts';

export interface NotifierDeps {
  clock: Clock;
  outbox: Outbox;
  links: Pick<MailLinks, 'linkFor'>;
}

function notMe(url: string): MailBlock[] {
  return [
    {
      kind: 'aside',
      text: "If you don't recognise this, use the link below within 7 days. It opens a page where an admin can freeze live payouts at once.",
    },
    { kind: 'link', label: "This wasn't me", url },
  ];
}

interface Notice {
  partnerId: string;
  email: string;
  kind: string;
  message: MailMessage;
}

/** Emails one person about the account, with a link of their own by which an admin can freeze live payouts. */
export async function notifyPerson(
  tx: Transaction,
  { clock, outbox, links }: NotifierDeps,
  { partnerId, email, kind, message }: Notice,
): Promise<void> {
  const mailId = newId(clock);
  const blocks = [...message.blocks, ...notMe(links.linkFor({ partnerId, mailId, email }))];
  await outbox.post(tx, { id: mailId, kind, to: email, message: { ...message, blocks } });
}

/** Emails every admin, the one who acts included: a thief may act in their name. */
export function createAdminNotifier(deps: NotifierDeps): NotifyAdmins {
  return async (tx, { kind, message, also = [], except = [] }) => {
    const partnerId = await getCurrentPartner(tx);
    for (const email of new Set([...(await listAdminEmails(tx)), ...also]))
      if (!except.includes(email)) await notifyPerson(tx, deps, { partnerId, email, kind, message });
  };
}
