import type { Clock } from '../../platform/clock.ts';
import type { NotifyAdmins } from '../../platform/acts/confirmed-act.ts';
import { newId } from '../../platform/ids.ts';
import type { MailBlock } from '../../platform/mail/layout.ts';
import type { Outbox } from '../../platform/mail/outbox.ts';
import { getCurrentPartner, listAdminEmails } from '../members/store.ts';
import type { FreezeLinks } from './freeze-links.ts';

interface NotifierDeps {
  clock: Clock;
  outbox: Outbox;
  links: Pick<FreezeLinks, 'linkFor'>;
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

/** Emails every admin, the one who acts included: a thief may act in their name. */
export function createAdminNotifier({ clock, outbox, links }: NotifierDeps): NotifyAdmins {
  return async (tx, { kind, message, also = [] }) => {
    const partnerId = await getCurrentPartner(tx);
    for (const email of new Set([...(await listAdminEmails(tx)), ...also])) {
      const mailId = newId(clock);
      const blocks = [...message.blocks, ...notMe(links.linkFor({ partnerId, mailId, email }))];
      await outbox.post(tx, { id: mailId, kind, to: email, message: { ...message, blocks } });
    }
  };
}
