import type { MailMessage } from '../../platform/mail/layout.ts';

interface AddressToConfirm {
  business: string;
  /** What goes to the address, such as "invoices". */
  gets: string;
  link: string;
}

export function confirmAddressMail({ business, gets, link }: AddressToConfirm): MailMessage {
  return {
    subject: 'Confirm this email address',
    lead: `Confirm that this address receives ${gets} for ${business}.`,
    blocks: [
      { kind: 'words', text: `An admin of ${business} entered this address at Kelpie. The link is valid for 7 days.` },
      { kind: 'link', label: 'Confirm the address', url: link },
      { kind: 'aside', text: "If you don't expect this, do nothing. We send nothing more to this address." },
    ],
  };
}
