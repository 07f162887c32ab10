import type { MailMessage } from '../../platform/mail/layout.ts';
import { showInstant } from '../../platform/mail/shown-instant.ts';
import type { Origin } from '../../platform/origin.ts';
import { originFacts } from './shown-origin.ts';

interface NewBrowser extends Origin {
  at: Date;
}

export function newBrowserMail({ at, ...origin }: NewBrowser): MailMessage {
  return {
    subject: 'New sign-in to Kelpie',
    lead: 'You signed in to Kelpie from a browser that you have not used before.',
    blocks: [
      { kind: 'facts', facts: [['Signed in on', showInstant(at)], ...originFacts(origin)] },
      {
        kind: 'words',
        text: 'If this was not you, someone can read your email. Secure your mailbox first. Then sign in to Kelpie and end all your other sessions.',
      },
    ],
  };
}
