import type { Encryptor } from '../../platform/encryption.ts';
import type { Transaction } from '../../platform/database/transaction.ts';
import { openContent } from '../../platform/mail/encrypted-content.ts';
import { endMail, listWaitingMails } from '../../platform/mail/store.ts';

const mailsAtOnce = 500;

/**
 * Gives up emails that still wait and are to an address or name it. One that ended has no content any more. Returns how many.
 */
export async function eraseMails(
  tx: Transaction,
  encryptor: Encryptor,
  { email, at }: { email: string; at: Date },
): Promise<number> {
  let erased = 0;
  let after = '00000000-0000-0000-0000-000000000000';
  for (;;) {
    const waiting = await listWaitingMails(tx, { after, atMost: mailsAtOnce });
    for (const { id, content_encrypted: encrypted } of waiting) {
      const { to, subject, text, html } = openContent(encryptor, id, encrypted);
      if (![to, subject, text, html].some((part) => part.toLowerCase().includes(email))) continue;
      await endMail(tx, id, { end: 'given_up', at });
      erased += 1;
    }
    const last = waiting.at(-1);
    if (last === undefined || waiting.length < mailsAtOnce) return erased;
    after = last.id;
  }
}
