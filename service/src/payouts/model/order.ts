import { hash } from 'node:crypto';
import type { Recipient } from '../../banks/index.ts';
import type { Pence } from '../../money/amounts.ts';
import type { PartnerContext } from '../../platform/database/transaction.ts';
import { isUuid } from '../../platform/ids.ts';
import type { KeyedDigest } from '../../platform/keyed-digest.ts';

/** Who is paid, with all that only the bank may know. */
export interface PayoutRecipient extends Recipient {
  email: string | null;
}

/** What a partner asks for, read and with its defaults. */
export interface PayoutOrder {
  amount: Pence;
  country: 'GB';
  reference: string | null;
  recipient: PayoutRecipient;
}

/**
 * What we call a payout at the bank. Made of what makes it the same payout to the partner, so that every try at it, by any
 * process and at any time, names the same order.
 */
export function orderIdOf({ partnerId, environment }: PartnerContext, idempotencyKey: string): string {
  const digest = hash('sha256', `${partnerId}|${environment}|${idempotencyKey}`);
  return [8, 12, 16, 20, 32].map((end, at, ends) => digest.slice(ends[at - 1] ?? 0, end)).join('-');
}

/** Whether a reference of the bank's can be one of ours: people make payments at the bank too, under any name. */
export function isOrderId(reference: string): boolean {
  // We write them in small letters only.
  return isUuid(reference) && reference === reference.toLowerCase();
}

/** What the recipient sees where the partner gave no reference that the bank can carry. */
export function fallbackBankReference(orderId: string): string {
  return `KP ${orderId.slice(0, 8).toUpperCase()}`;
}

/** The bank's idempotency key for it. */
export function bankKeyOf({ orderId, bankRound }: { orderId: string; bankRound: number }): string {
  return `${orderId}-${bankRound}`;
}

/** The account that a recipient is paid to, under that name: another name is another recipient to the bank. */
export function accountIndexOf(digest: KeyedDigest, { sortCode, accountNumber, ...person }: PayoutRecipient): Buffer {
  return digest(JSON.stringify([sortCode, accountNumber, person.type, person.firstName, person.lastName]));
}

/** The fields of a body by their paths, always in this order: fingerprints that are kept depend on it. */
function fieldsOf({ amount, country, reference, recipient }: PayoutOrder): [path: string, value: string | null][] {
  const { address } = recipient;
  return [
    ['amount_gbp', amount.toString()],
    ['country', country],
    ['reference', reference],
    ['recipient.type', recipient.type],
    ['recipient.first_name', recipient.firstName],
    ['recipient.last_name', recipient.lastName],
    ['recipient.email', recipient.email],
    ['recipient.address.line1', address.line1],
    ['recipient.address.line2', address.line2],
    ['recipient.address.city', address.city],
    ['recipient.address.postal_code', address.postalCode],
    ['recipient.address.region', address.region],
    ['recipient.bank.bank_name', recipient.bankName],
    ['recipient.bank.sort_code', recipient.sortCode],
    ['recipient.bank.account_number', recipient.accountNumber],
  ];
}

/** One keyed digest of all of it: a plain hash of an account number could be guessed. */
export function fingerprintOf(digest: KeyedDigest, order: PayoutOrder): Buffer {
  return digest(JSON.stringify(fieldsOf(order)));
}

/** The paths whose values differ between two orders. */
export function mismatchedFields(one: PayoutOrder, other: PayoutOrder): string[] {
  const fields = fieldsOf(other);
  return fieldsOf(one)
    .filter(([, value], at) => value !== fields[at]?.[1])
    .map(([path]) => path);
}

/** Digests by which the commit of a payout knows a confirmation code again: none of them says what it is of. */
export interface GivenCode {
  orderHmac: Buffer;
  emailHmac: Buffer;
  codeHmac: Buffer;
}
