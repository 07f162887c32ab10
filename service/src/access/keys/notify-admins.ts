import type { Transaction } from '../../platform/database/transaction.ts';
import type { MailMessage } from '../../platform/mail/layout.ts';
import type { Outbox } from '../../platform/mail/outbox.ts';
import { listAdminEmails } from '../members/store.ts';

/** A mail to every admin, the one who did it included: it may not have been that person. */
export async function notifyAdmins(
  tx: Transaction,
  outbox: Outbox,
  { kind, message }: { kind: string; message: MailMessage },
): Promise<void> {
  for (const to of await listAdminEmails(tx)) await outbox.post(tx, { kind, to, message });
}
