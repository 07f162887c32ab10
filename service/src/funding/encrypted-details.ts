import type { BankAccountDetails, DepositSender } from '../banks/index.ts';
import type { Encryptor } from '../platform/encryption.ts';

// What only the partner may see of its top-ups: bound to its row, as all that is encrypted.

function senderPlace(depositId: string) {
  return { table: 'deposits', row: depositId, column: 'sender_encrypted' };
}

function detailsPlace(sourceRowId: string) {
  return { table: 'funding_sources', row: sourceRowId, column: 'details_encrypted' };
}

export function encryptSender(encryptor: Encryptor, depositId: string, sender: DepositSender): Buffer {
  return encryptor.encrypt(JSON.stringify(sender), senderPlace(depositId));
}

function isSender(value: unknown): value is DepositSender {
  return typeof value === 'object' && value !== null && 'name' in value && 'reference' in value;
}

/** What we encrypted ourselves has the form that we gave it: the authentication tag proves it. This check tells the compiler so. */
export function openSender(encryptor: Encryptor, depositId: string, encrypted: Buffer): DepositSender {
  const sender: unknown = JSON.parse(encryptor.decrypt(encrypted, senderPlace(depositId)));
  if (!isSender(sender)) throw new Error('an encrypted sender of another form');
  return sender;
}

export function encryptDetails(encryptor: Encryptor, sourceRowId: string, details: BankAccountDetails): Buffer {
  return encryptor.encrypt(JSON.stringify(details), detailsPlace(sourceRowId));
}

function isDetails(value: unknown): value is BankAccountDetails {
  return typeof value === 'object' && value !== null && 'accountNumber' in value && 'sortCode' in value;
}

export function openDetails(encryptor: Encryptor, sourceRowId: string, encrypted: Buffer): BankAccountDetails {
  const details: unknown = JSON.parse(encryptor.decrypt(encrypted, detailsPlace(sourceRowId)));
  if (!isDetails(details)) throw new Error('encrypted account details of another form');
  return details;
}
