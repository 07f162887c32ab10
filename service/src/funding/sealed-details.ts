import type { BankAccountDetails, DepositSender } from '../banks/index.ts';
import type { Sealer } from '../platform/sealing.ts';

// What only the partner may see of its top-ups: bound to its row, as all that is sealed.

function senderPlace(depositId: string) {
  return { table: 'deposits', row: depositId, column: 'sender_sealed' };
}

function detailsPlace(sourceRowId: string) {
  return { table: 'funding_sources', row: sourceRowId, column: 'details_sealed' };
}

export function sealSender(sealer: Sealer, depositId: string, sender: DepositSender): Buffer {
  return sealer.seal(JSON.stringify(sender), senderPlace(depositId));
}

function isSender(value: unknown): value is DepositSender {
  return typeof value === 'object' && value !== null && 'name' in value && 'reference' in value;
}

/** What we sealed ourselves has the form that we gave it: the seal is the proof, and the rest only a reminder. */
export function openSender(sealer: Sealer, depositId: string, sealed: Buffer): DepositSender {
  const sender: unknown = JSON.parse(sealer.open(sealed, senderPlace(depositId)));
  if (!isSender(sender)) throw new Error('a sealed sender of another form');
  return sender;
}

export function sealDetails(sealer: Sealer, sourceRowId: string, details: BankAccountDetails): Buffer {
  return sealer.seal(JSON.stringify(details), detailsPlace(sourceRowId));
}

function isDetails(value: unknown): value is BankAccountDetails {
  return typeof value === 'object' && value !== null && 'accountNumber' in value && 'sortCode' in value;
}

export function openDetails(sealer: Sealer, sourceRowId: string, sealed: Buffer): BankAccountDetails {
  const details: unknown = JSON.parse(sealer.open(sealed, detailsPlace(sourceRowId)));
  if (!isDetails(details)) throw new Error('sealed account details of another form');
  return details;
}
