import type { Client } from 'pg';
import {
  encryptBusiness,
  encryptCode,
  openBusiness,
  openCode,
} from '../../../src/access/signing-in/encrypted-codes.ts';
import { encryptRecipientId, openRecipientId } from '../../../src/banks/index.ts';
import { encryptDetails, encryptSender, openDetails, openSender } from '../../../src/funding/encrypted-details.ts';
import type { PayoutRecipient } from '../../../src/payouts/model/order.ts';
import { encryptRecipient, openRecipient } from '../../../src/payouts/records/encrypted-recipient.ts';
import type { PartnerContext } from '../../../src/platform/database/transaction.ts';
import type { Encryptor } from '../../../src/platform/encryption.ts';
import { encryptContent, openContent } from '../../../src/platform/mail/encrypted-content.ts';
import { decryptSecret, encryptSecret } from '../../../src/webhooks/secrets.ts';

/** A row with an encrypted value, as its own module encrypts and opens it. */
interface PlantedRow extends PartnerContext {
  id: string;
  accountIndex: Buffer | null;
}

interface Sample {
  encrypt: (encryptor: Encryptor, row: PlantedRow) => Buffer;
  /** Throws where it does not open, or is another text. */
  open: (encryptor: Encryptor, row: PlantedRow, encrypted: Buffer) => unknown;
}

export const recipient: PayoutRecipient = {
  type: 'individual',
  firstName: 'Ada',
  lastName: 'Byron',
  email: null,
  address: { line1: '1 High Street', line2: null, city: 'Leeds', postalCode: 'LS1 1AA', region: '' },
  bankName: 'Example Bank',
  sortCode: '040004',
  accountNumber: '12345678',
};

const mail = { to: 'ada@people.test', subject: 'A subject', text: 'A text', html: 'A page', attachment: null };
const details = {
  accountHolderName: 'Acme',
  bankName: 'Example Bank',
  bankAddress: '1 High Street, Leeds',
  sortCode: '040004',
  accountNumber: '12345678',
};
const sender = { name: 'Acme', reference: 'Top-up', accountLast4: '5678', address: null };
const recipientId: Sample = {
  encrypt: (encryptor, row) => encryptRecipientId(encryptor, row, 'external-account-1'),
  open: (encryptor, row, encrypted) => openRecipientId(encryptor, row, encrypted),
};
const requestPlace = (row: string) => ({ table: 'erasure_requests', row, column: 'email_encrypted' });
const webhookSecret: Sample = {
  encrypt: (encryptor, { id }) => encryptSecret(encryptor, id, 'whsec_1'),
  open: (encryptor, { id }, encrypted) => decryptSecret(encryptor, id, encrypted),
};

/** Each encrypted column, by its name. A new one is added here; a test finds it missing otherwise. */
export const samples: Readonly<Record<string, Sample>> = {
  'payouts.recipient_encrypted': {
    encrypt: (encryptor, { id }) => encryptRecipient(encryptor, id, recipient),
    open: (encryptor, { id }, recipientEncrypted) => openRecipient(encryptor, { id, recipientEncrypted }),
  },
  'payout_requests.recipient_encrypted': {
    encrypt: (encryptor, { id }) => encryptRecipient(encryptor, id, recipient, 'payout_requests'),
    open: (encryptor, { id }, recipientEncrypted) =>
      openRecipient(encryptor, { id, recipientEncrypted }, 'payout_requests'),
  },
  'payouts.bank_recipient_encrypted': recipientId,
  'known_recipients.id_encrypted': recipientId,
  'deposits.sender_encrypted': {
    encrypt: (encryptor, { id }) => encryptSender(encryptor, id, sender),
    open: (encryptor, { id }, encrypted) => openSender(encryptor, id, encrypted),
  },
  'funding_sources.details_encrypted': {
    encrypt: (encryptor, { id }) => encryptDetails(encryptor, id, details),
    open: (encryptor, { id }, encrypted) => openDetails(encryptor, id, encrypted),
  },
  'webhook_endpoints.secret_encrypted': webhookSecret,
  'webhook_endpoints.previous_secret_encrypted': webhookSecret,
  'outgoing_mails.content_encrypted': {
    encrypt: (encryptor, { id }) => encryptContent(encryptor, id, mail),
    open: (encryptor, { id }, encrypted) => openContent(encryptor, id, encrypted),
  },
  'sign_in_codes.mail_encrypted': {
    encrypt: (encryptor, { id }) =>
      encryptCode(encryptor, id, { email: 'ada@people.test', code: '123456', network: null, browser: null }),
    open: (encryptor, { id }, encrypted) => openCode(encryptor, id, encrypted),
  },
  'sign_in_codes.sign_up_encrypted': {
    encrypt: (encryptor, { id }) => encryptBusiness(encryptor, id, { name: 'Acme', fullName: 'Ada Byron' }),
    open: (encryptor, { id }, encrypted) => openBusiness(encryptor, id, encrypted),
  },
  'erasure_requests.email_encrypted': {
    encrypt: (encryptor, { id }) => encryptor.encrypt('ada@people.test', requestPlace(id)),
    open: (encryptor, { id }, encrypted) => encryptor.decrypt(encrypted, requestPlace(id)),
  },
};

interface ReadRow extends PlantedRow {
  ctid: string;
  tableoid: number;
  encrypted: Buffer | null;
}

/** The rows of a column, whatever their table has of these. */
export async function rowsOf(admin: Client, name: string): Promise<ReadRow[]> {
  const [table = '', column = ''] = name.split('.');
  const { rows } = await admin.query<{ row: Record<string, string | undefined>; encrypted: Buffer | null } & ReadRow>(
    `select to_jsonb(t) as row, t.ctid::text, t.tableoid::int, t.${column} as encrypted from kelpie.${table} t`,
  );
  return rows.map(({ row, ctid, tableoid, encrypted }) => ({
    id: row['id'] ?? row['proposal_id'] ?? '',
    partnerId: row['partner_id'] ?? '',
    environment: row['environment'] === 'live' ? 'live' : 'sandbox',
    accountIndex: row['account_index'] === undefined ? null : Buffer.from(row['account_index'].slice(2), 'hex'),
    ctid,
    tableoid,
    encrypted,
  }));
}

/** Encrypts the sample into each row of each column that has a value. No rule that a trigger keeps is asked. */
export async function plantValues(admin: Client, encryptor: Encryptor): Promise<void> {
  await admin.query('set session_replication_role = replica');
  for (const [name, { encrypt }] of Object.entries(samples)) {
    const [table = '', column = ''] = name.split('.');
    for (const row of await rowsOf(admin, name)) {
      if (row.encrypted === null) continue;
      await admin.query(`update kelpie.${table} set ${column} = $1 where ctid = $2::tid and tableoid = $3`, [
        encrypt(encryptor, row),
        row.ctid,
        row.tableoid,
      ]);
    }
  }
  await admin.query('reset session_replication_role');
}
