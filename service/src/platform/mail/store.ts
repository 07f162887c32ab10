import type { Transaction } from '../database/transaction.ts';
import { firstIdAt } from '../ids.ts';

interface NewMailRow {
  id: string;
  kind: string;
  messageId: string;
  contentEncrypted: Buffer;
  createdAt: Date;
  expiresAt: Date | null;
}

export async function insertMail(tx: Transaction, mail: NewMailRow): Promise<void> {
  await tx.query(
    `insert into kelpie.outgoing_mails (id, kind, message_id, content_encrypted, created_at, expires_at)
     values ($1, $2, $3, $4, $5, $6)`,
    [mail.id, mail.kind, mail.messageId, mail.contentEncrypted, mail.createdAt, mail.expiresAt],
  );
}

export interface WaitingMail {
  id: string;
  kind: string;
  message_id: string;
  content_encrypted: Buffer;
  created_at: Date;
  expires_at: Date | null;
}

/** The mail, unless its end is known already. */
export async function findWaitingMail(tx: Transaction, id: string): Promise<WaitingMail | null> {
  const { rows } = await tx.query<WaitingMail>(
    `select id, kind, message_id, content_encrypted, created_at, expires_at from kelpie.outgoing_mails
     where id = $1 and content_encrypted is not null`,
    [id],
  );
  return rows[0] ?? null;
}

/** Those whose end is not known, by their ids. */
export async function listWaitingMails(
  tx: Transaction,
  { after, atMost }: { after: string; atMost: number },
): Promise<Pick<WaitingMail, 'id' | 'content_encrypted'>[]> {
  const { rows } = await tx.query<Pick<WaitingMail, 'id' | 'content_encrypted'>>(
    `select id, content_encrypted from kelpie.outgoing_mails
     where content_encrypted is not null and id > $1 order by id limit $2`,
    [after, atMost],
  );
  return rows;
}

export type MailEnd = 'sent' | 'refused' | 'given_up';

/** Its content goes with it. Who comes second changes nothing. */
export async function endMail(tx: Transaction, id: string, { end, at }: { end: MailEnd; at: Date }): Promise<void> {
  await tx.query(
    `update kelpie.outgoing_mails
     set content_encrypted = null,
       sent_at = case $2 when 'sent' then $3::timestamptz end,
       refused_at = case $2 when 'refused' then $3::timestamptz end,
       given_up_at = case $2 when 'given_up' then $3::timestamptz end
     where id = $1 and content_encrypted is not null`,
    [id, end, at],
  );
}

/** Gives up those that still wait though they were posted before an instant, some at a time. Says how many. */
export async function giveUpMails(
  tx: Transaction,
  { postedBefore, at, most }: { postedBefore: Date; at: Date; most: number },
): Promise<number> {
  const { rows } = await tx.query(
    `update kelpie.outgoing_mails set content_encrypted = null, given_up_at = $2
     where id in (
       select id from kelpie.outgoing_mails where content_encrypted is not null and id < $1 order by id limit $3
       for update skip locked
     ) returning id`,
    [firstIdAt(postedBefore), at, most],
  );
  return rows.length;
}

/** Deletes those whose end came before an instant, some at a time. Says how many. */
export async function deleteEndedMails(
  tx: Transaction,
  { endedBefore, most }: { endedBefore: Date; most: number },
): Promise<number> {
  // Whatever ended before it was posted before it too: so only the old end of the key is read.
  const { rows } = await tx.query(
    `delete from kelpie.outgoing_mails
     where id in (
       select id from kelpie.outgoing_mails
       where id < $1 and coalesce(sent_at, refused_at, given_up_at) < $2 order by id limit $3
       for update skip locked
     ) returning id`,
    [firstIdAt(endedBefore), endedBefore, most],
  );
  return rows.length;
}
