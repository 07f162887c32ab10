import type { Encryptor } from '../../platform/encryption.ts';
import type { Transaction } from '../../platform/database/transaction.ts';
import { openContent } from '../../platform/mail/encrypted-content.ts';
import { endMail, listWaitingMails } from '../../platform/mail/store.ts';

const mailsAtOnce = 500;

/** Finds the address itself, and not where it is a part of another person's. */
function formOf(email: string): RegExp {
  return new RegExp(`(?<![\\w.%+-])${email.replaceAll(/[^\w@]/g, String.raw`\$&`)}(?![\\w-]|\\.\\w)`, 'i');
}

/**
 * Gives up emails that still wait and are to an address or name it. One that ended has no content any more. Returns how many.
 */
export async function eraseMails(
  tx: Transaction,
  encryptor: Encryptor,
  { email, at }: { email: string; at: Date },
): Promise<number> {
  const form = formOf(email);
  let erased = 0;
  let after = '00000000-0000-0000-0000-000000000000';
  for (;;) {
    const waiting = await listWaitingMails(tx, { after, atMost: mailsAtOnce });
    for (const { id, content_encrypted: encrypted } of waiting) {
      const { to, subject, text, html } = openContent(encryptor, id, encrypted);
      if (![to, subject, text, html].some((part) => form.test(part))) continue;
      await endMail(tx, id, { end: 'given_up', at });
      erased += 1;
    }
    const last = waiting.at(-1);
    if (last === undefined || waiting.length < mailsAtOnce) return erased;
    after = last.id;
  }
}
