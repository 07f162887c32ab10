import { after } from 'node:test';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import type { Clock } from '../../../src/platform/clock.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { openPool } from '../../../src/platform/database/pool.ts';
import { inTransaction, type Transaction } from '../../../src/platform/database/transaction.ts';
import { startJobSender } from '../../../src/platform/jobs/jobs.ts';
import { createLogger } from '../../../src/platform/logging.ts';
import type { MailMessage } from '../../../src/platform/mail/layout.ts';
import { createOutbox } from '../../../src/platform/mail/outbox.ts';
import { createEncryptor } from '../../../src/platform/encryption.ts';
import type { TestDatabase } from '../../harness/database.ts';
import { testSecrets } from '../../harness/secrets.ts';

export const secretCode = '482915';

const message: MailMessage = {
  subject: 'A trial',
  lead: 'This is a trial.',
  blocks: [{ kind: 'code', code: secretCode }],
};

const [version = '', key = ''] = testSecrets.KELPIE_DATA_KEYS.split(':');
const encryptor = createEncryptor(new Map([[Number(version), Buffer.from(key, 'hex')]]));

interface PostOptions {
  to: string;
  expiresAt?: Date;
  clock?: Clock;
}

export interface MailRow {
  message_id: string;
  content_encrypted: Buffer | null;
  sent_at: Date | null;
  refused_at: Date | null;
  given_up_at: Date | null;
}

/** Posts mails as a use case does: in a transaction, beside whatever else it writes. */
export async function openPostOffice(
  database: Pick<TestDatabase, 'serviceUrl'>,
  atEnd: (end: () => Promise<unknown>) => void = after,
) {
  const logger = createLogger('test', 'silent');
  const pool = openPool({ url: database.serviceUrl, connections: 2, applicationName: 'test', logger });
  const jobs = await startJobSender(pool, logger);
  atEnd(async () => {
    await jobs.stop();
    await pool.end();
  });
  const postIn = async (tx: Transaction, { clock = systemClock, ...mail }: PostOptions): Promise<string> =>
    createOutbox({ jobs, encryptor, clock, fromDomain: 'kelpie.example', supportEmail: 'support@kelpie.example' }).post(
      tx,
      {
        kind: 'trial',
        message,
        ...mail,
      },
    );
  return {
    pool,
    postIn,
    post: async (mail: PostOptions): Promise<string> => inTransaction(pool, 'shared', async (tx) => postIn(tx, mail)),
  };
}

export async function readMail(
  { superuserUrl }: Pick<TestDatabase, 'superuserUrl'>,
  id: string,
): Promise<MailRow | undefined> {
  return asAdmin(superuserUrl, async (client) => {
    const { rows } = await client.query<MailRow>('select * from kelpie.outgoing_mails where id = $1', [id]);
    return rows[0];
  });
}
