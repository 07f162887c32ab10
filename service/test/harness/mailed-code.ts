import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { openContent } from '../../src/platform/mail/encrypted-content.ts';
import { createEncryptor } from '../../src/platform/encryption.ts';
import { plantCanary } from './canaries/find-canaries.ts';
import type { TestDatabase } from './database.ts';
import { testSecrets } from './secrets.ts';

const [, dataKey = ''] = testSecrets.KELPIE_DATA_KEYS.split(':');
const encryptor = createEncryptor(new Map([[1, Buffer.from(dataKey, 'hex')]]));

/** The mails of a kind that wait for this address, newest first: where no relay is, each stays as it was posted. */
export async function waitingMails(
  { superuserUrl }: Pick<TestDatabase, 'superuserUrl'>,
  { to, kind }: { to: string; kind: string },
): Promise<{ subject: string; text: string; html: string }[]> {
  const { rows } = await asAdmin(superuserUrl, async (client) =>
    client.query<{ id: string; content_encrypted: Buffer }>(
      `select id, content_encrypted from kelpie.outgoing_mails
       where kind = $1 and content_encrypted is not null order by id desc limit 1000`,
      [kind],
    ),
  );
  return rows.map((row) => openContent(encryptor, row.id, row.content_encrypted)).filter((mail) => mail.to === to);
}

/** The six digits of the newest mail of that kind to this address. */
export async function mailedCode(
  database: Pick<TestDatabase, 'superuserUrl'>,
  mail: { to: string; kind: string },
): Promise<string> {
  const [newest] = await waitingMails(database, mail);
  const [, code] = /^ +(\d{6})$/m.exec(newest?.text ?? '') ?? [];
  if (code === undefined) throw new Error(`no code was mailed as ${mail.kind}`);
  plantCanary('an emailed code', code);
  return code;
}
