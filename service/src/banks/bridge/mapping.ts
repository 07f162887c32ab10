import { formatExactUsdc, formatPounds, parsePounds, parseUsdc, type MicroUsdc } from '../../money/amounts.ts';
import { cautiousRate, parseRate, type GbpPerUsd } from '../../money/rates.ts';
import type { HttpExchange } from '../http-exchange.ts';
import { carriedText } from '../carried-text.ts';
import { payeeName } from '../payee-name.ts';
import type {
  CancelOutcome,
  Payment,
  PaymentFailure,
  PaymentOrder,
  PaymentState,
  Recipient,
  RegisterOutcome,
  SendOutcome,
} from '../port/payments.ts';
import type {
  FindRecordOutcome,
  PaymentPage,
  PaymentRecord,
  Recall,
  RecallPage,
  RecipientRecord,
} from '../port/records.ts';
import type { BankWalletTransfers } from '../port/wallet-transfers.ts';
import { describeAnswer, isSuccess, bankErrorFrom, type ApiError } from './answers.ts';
import { decimalAt, instantAt, parseJson, textAt, valueAt } from './wire-values.ts';
import { walletChain } from '../wallet-chain.ts';

// Between our words and Bridge's, with no network and no state: what goes in, and what each answer means.

const states = new Map<string, PaymentState>([
  ['awaiting_funds', 'accepted'],
  ['pending', 'accepted'],
  ['in_review', 'under_way'],
  ['funds_received', 'under_way'],
  ['payment_submitted', 'under_way'],
  ['payment_processed', 'arrived'],
  ['undeliverable', 'undeliverable'],
  ['returned', 'coming_back'],
  ['refund_in_flight', 'coming_back'],
  ['refunded', 'refunded'],
  ['canceled', 'cancelled'],
]);

export function paymentStateOf(bankState: string): PaymentState {
  return states.get(bankState) ?? 'needs_attention';
}

/** The bank's words for why a payment failed or came back. One that is not here is `unknown`. */
const failures = new Map<string, PaymentFailure>([
  ['invalid_account_number', 'account_not_found'],
  ['account_unknown', 'account_not_found'],
  ['account_not_found', 'account_not_found'],
  ['account_closed', 'account_closed'],
  ['account_blocked', 'account_blocked'],
  ['account_stopped', 'account_blocked'],
  ['name_mismatch', 'name_mismatch'],
  ['not_expecting_funds', 'recipient_declined'],
  ['recipient_declined', 'recipient_declined'],
  ['recalled', 'recalled'],
  ['regulatory', 'regulatory'],
  ['beneficiary_deceased', 'account_blocked'],
  ['rejected_by_bank_provider', 'bank_rejected_details'],
]);

const shortestStreet = 4;
const longestStreet = 35;
/** The bank states no maximum for the rest. This is more than any real one has. */
const longestText = 200;

function streetOf(line: string): { street_line_1: string } | undefined {
  const street = carriedText(line, longestStreet);
  return street.length < shortestStreet ? undefined : { street_line_1: street };
}

export function externalAccountBody(recipient: Recipient): object {
  const name = ownerName(recipient);
  const { address } = recipient;
  const street = streetOf(address.line1);
  const place = filled({ city: address.city, state: address.region, postal_code: address.postalCode });
  return {
    account_type: 'gb',
    currency: 'gbp',
    account_owner_name: name,
    account_owner_type: recipient.type,
    ...(recipient.type === 'business' ? { business_name: name } : personName(recipient)),
    account: { sort_code: recipient.sortCode, account_number: recipient.accountNumber },
    // Bank name and address are optional there. The address is refused where the street is too short: better none than
    // no recipient.
    ...filled({ bank_name: recipient.bankName }),
    ...(street === undefined ? {} : { address: { ...street, ...place, country: 'GBR' } }),
  };
}

/** The texts that are not blank, as the bank takes them. */
function filled(texts: Readonly<Record<string, string>>): Record<string, string> {
  const carried = Object.entries(texts).map(([name, text]): [string, string] => [name, carriedText(text, longestText)]);
  return Object.fromEntries(carried.filter(([, text]) => text !== ''));
}

/** The bank needs both parts of a person's name. Where one is blank, the other stands for both. */
function personName({ firstName, lastName }: Recipient): { first_name: string; last_name: string } {
  const [first, last] = [carriedText(firstName, longestText), carriedText(lastName, longestText)];
  return { first_name: first === '' ? last : first, last_name: last === '' ? first : last };
}

export function ownerName({ firstName, lastName }: Recipient): string {
  return payeeName(`${firstName} ${lastName}`);
}

export function transferBody(order: PaymentOrder): object {
  return {
    on_behalf_of: order.customerId,
    client_reference_id: order.ourReference,
    source: { currency: 'usdc', payment_rail: 'bridge_wallet', bridge_wallet_id: order.walletId },
    destination: {
      currency: 'gbp',
      payment_rail: 'faster_payments',
      external_account_id: order.recipientId,
      amount: formatPounds(order.amount),
      reference: order.bankReference,
    },
  };
}

/** The destination names the chain of its wallet, where a payout names its rail. */
export function walletTransferBody(order: Parameters<BankWalletTransfers['transferBetweenWallets']>[0]): object {
  return {
    on_behalf_of: order.from.customerId,
    client_reference_id: order.ourReference,
    amount: formatExactUsdc(order.amount),
    source: { currency: 'usdc', payment_rail: 'bridge_wallet', bridge_wallet_id: order.from.walletId },
    destination: { currency: 'usdc', payment_rail: walletChain, bridge_wallet_id: order.to.walletId },
  };
}

/** A transfer as the bank tells it, or undefined where it is none. */
export function paymentFrom(body: unknown): PaymentRecord | undefined {
  const id = textAt(body, 'id');
  const bankState = textAt(body, 'state');
  if (id === undefined || bankState === undefined) return undefined;
  return {
    id,
    ourReference: textAt(body, 'client_reference_id') ?? null,
    state: paymentStateOf(bankState),
    bankState,
    taken: amountFrom(decimalAt(body, 'receipt', 'initial_amount')),
    refunded: amountFrom(decimalAt(body, 'receipt', 'refunded_amount')),
    failure: failureFrom(textAt(body, 'return_details', 'reason')),
    networkFee: amountFrom(decimalAt(body, 'receipt', 'gas_fee')),
    returnFee: amountFrom(decimalAt(body, 'receipt', 'return_fee')),
    pays: parsePounds(decimalAt(body, 'destination', 'amount') ?? '') ?? null,
    recipientId: textAt(body, 'destination', 'external_account_id') ?? null,
    bankReference: textAt(body, 'destination', 'reference') ?? null,
    createdAt: instantAt(body, 'created_at'),
    changedAt: instantAt(body, 'updated_at'),
  };
}

/** A receipt of nothing says that nothing has moved yet: no payment takes zero, and no refund gives it back. */
function amountFrom(text: string | undefined): MicroUsdc | null {
  const amount = parseUsdc(text ?? '') ?? 0n;
  return amount === 0n ? null : amount;
}

function failureFrom(reason: string | undefined): PaymentFailure | null {
  return reason === undefined ? null : (failures.get(reason) ?? 'unknown');
}

const accountErrors = new Set([
  'external_account_inactive',
  'external_account_rejected',
  'invalid_account_number',
  'rejected_by_bank_provider',
]);
const knownErrors = new Set([...accountErrors, 'insufficient_funds']);

export function registerOutcome(answer: HttpExchange): RegisterOutcome {
  const text = describeAnswer(answer);
  const bankError = bankErrorFrom(answer);
  if (bankError !== undefined) {
    const aboutAccount = accountErrors.has(bankError.code) || bankError.key.startsWith('account.');
    if (aboutAccount) return { kind: 'rejected', text };
    return { kind: definiteStatuses.has(bankError.status) ? 'refused' : 'failed', text };
  }
  const recipientId = isSuccess(answer) ? textAt(parseJson(answer.body), 'id') : undefined;
  return recipientId === undefined ? { kind: 'failed', text } : { kind: 'registered', recipientId };
}

export function customerBody({ name, email }: { name: string; email: string }): object {
  return { type: 'business', business_name: name, email };
}

/** Where the wallet's USDC lies: of the chains that the bank offers, one with low fees. */
export const walletBody = { chain: walletChain };

/** The id of a customer or a wallet that was opened, or why there is none. */
export function openedFrom(answer: HttpExchange): { kind: 'opened'; id: string } | { kind: 'failed'; text: string } {
  const id = isSuccess(answer) ? textAt(parseJson(answer.body), 'id') : undefined;
  return id === undefined ? { kind: 'failed', text: describeAnswer(answer) } : { kind: 'opened', id };
}

/** The recipient that the bank has already, where that is what it refused a second one for. */
export function duplicateRecipientId(answer: HttpExchange): string | undefined {
  if (bankErrorFrom(answer)?.code !== 'duplicate_external_account' || answer.kind !== 'answered') return undefined;
  return textAt(parseJson(answer.body), 'id');
}

/** The same account under another name is another recipient; one that the bank has closed is none. */
export function knownRecipientOutcome(
  answer: HttpExchange,
  recipientId: string,
  recipient: Recipient,
): RegisterOutcome {
  if (!isSuccess(answer))
    return { kind: 'failed', text: `the known recipient could not be read: ${describeAnswer(answer)}` };
  const body = parseJson(answer.body);
  if (valueAt(body, 'active') === false) return { kind: 'rejected', text: 'the bank has closed this account' };
  const named = recipient.type === 'business' ? {} : personName(recipient);
  const expected = { ...named, account_owner_name: ownerName(recipient), account_owner_type: recipient.type };
  const sameName = Object.entries(expected).every(([field, value]) => (textAt(body, field) ?? value) === value);
  const sameAccount =
    (textAt(body, 'account', 'sort_code') ?? recipient.sortCode) === recipient.sortCode &&
    textAt(body, 'account', 'last_4') === recipient.accountNumber.slice(-4);
  if (sameName && sameAccount && textAt(body, 'account_owner_name') !== undefined)
    return { kind: 'registered', recipientId };
  return { kind: 'refused', text: 'the account is registered under another name' };
}

/** The bank's own description of a recipient. */
export function recipientFrom(answer: HttpExchange): RecipientRecord | null {
  if (!isSuccess(answer)) return null;
  const body = parseJson(answer.body);
  const last4 = textAt(body, 'account', 'last_4') ?? '';
  return { name: textAt(body, 'account_owner_name') ?? null, accountLast4: /^\d{4}$/.test(last4) ? last4 : null };
}

/** With these the bank says no to the request itself. Any other status may stand for something that happened on the way. */
const definiteStatuses = new Set([400, 401, 403, 404, 422, 429]);

/** With these it has looked at the order. With the others it turned the request away before. */
const keptStatuses = new Set([400, 422]);

/**
 * A refusal of the key, or of a repeat, is about an earlier request: what became of that one is the question. The provider
 * documents only that it answers 422 then, so a 422 has to say that it is about the body before it counts.
 */
function isAboutRepeat({ status, code, key, location }: ApiError): boolean {
  if (location === 'header' || /idempoten|duplicate/i.test(`${code} ${key}`)) return true;
  return status === 422 && location !== 'body' && !knownErrors.has(code);
}

function sentWithoutState(answer: HttpExchange): Payment | undefined {
  const id = isSuccess(answer) ? textAt(parseJson(answer.body), 'id') : undefined;
  if (id === undefined) return undefined;
  const unsaidOrder = { ourReference: null, pays: null, recipientId: null };
  const unsaidMoney = { taken: null, refunded: null, failure: null, networkFee: null, returnFee: null };
  return { ...unsaidOrder, ...unsaidMoney, id, state: 'accepted', bankState: '' };
}

export function sendOutcome(answer: HttpExchange): SendOutcome {
  const text = describeAnswer(answer);
  if (answer.kind === 'not_sent') return { kind: 'unreachable', text };
  const bankError = bankErrorFrom(answer);
  if (bankError !== undefined) {
    if (!definiteStatuses.has(bankError.status)) return { kind: 'unknown', text };
    if (isAboutRepeat(bankError)) return { kind: 'unknown', isKeyRefused: true, text };
    const isKept = keptStatuses.has(bankError.status);
    if (accountErrors.has(bankError.code)) return { kind: 'rejected', reason: 'account_details', isKept, text };
    const reason = bankError.code === 'insufficient_funds' ? 'insufficient_funds' : 'other';
    return { kind: 'rejected', reason, isKept, text };
  }
  // A transfer with an id was accepted, whatever else of it can't be read: the id is what finds it again.
  const payment = isSuccess(answer) ? (paymentFrom(parseJson(answer.body)) ?? sentWithoutState(answer)) : undefined;
  return payment === undefined ? { kind: 'unknown', text } : { kind: 'accepted', payment };
}

export function findOutcome(answer: HttpExchange): FindRecordOutcome {
  if (bankErrorFrom(answer)?.status === 404) return { kind: 'absent' };
  const payment = isSuccess(answer) ? paymentFrom(parseJson(answer.body)) : undefined;
  return payment === undefined ? { kind: 'unknown', text: describeAnswer(answer) } : { kind: 'found', payment };
}

export function cancelOutcome(answer: HttpExchange): CancelOutcome {
  if (bankErrorFrom(answer)?.code === 'invalid_state') return { kind: 'too_late' };
  const payment = isSuccess(answer) ? paymentFrom(parseJson(answer.body)) : undefined;
  // Only the bank's own record makes it cancelled.
  if (payment?.state === 'cancelled') return { kind: 'cancelled', payment };
  return { kind: 'unknown', text: describeAnswer(answer) };
}

/**
 * A page of the list: its payments, and the id after which the next one begins. Only an empty page is the end: a short one
 * must not pass for proof that nothing comes after it.
 */
export function pageFrom(answer: HttpExchange): PaymentPage | null {
  const data = isSuccess(answer) ? valueAt(parseJson(answer.body), 'data') : undefined;
  if (!Array.isArray(data)) return null;
  const payments = data.map(paymentFrom);
  const known = payments.filter((payment) => payment !== undefined);
  // A row that can't be read must not pass for a payment that is not there.
  if (known.length !== payments.length) return null;
  return { payments: known, next: known.at(-1)?.id ?? null };
}

function recallFrom(entry: unknown): Recall | undefined {
  const id = textAt(entry, 'id');
  const depositId = textAt(entry, 'deposit_id');
  if (id === undefined || depositId === undefined) return undefined;
  return { id, depositId, isFraud: valueAt(entry, 'fraud') === true, createdAt: instantAt(entry, 'created_at') };
}

/** What the provider calls funds requests. */
export function recallPageFrom(answer: HttpExchange): RecallPage | null {
  const data = isSuccess(answer) ? valueAt(parseJson(answer.body), 'data') : undefined;
  if (!Array.isArray(data)) return null;
  const recalls = data.map(recallFrom);
  const known = recalls.filter((recall) => recall !== undefined);
  if (known.length !== recalls.length) return null;
  return { recalls: known, next: known.at(-1)?.id ?? null };
}

/** What a wallet holds of USDC, over all that it lists. A wallet that lists none does not say that it holds nothing. */
export function balanceFrom(answer: HttpExchange): MicroUsdc | null {
  const balances = isSuccess(answer) ? valueAt(parseJson(answer.body), 'balances') : undefined;
  if (!Array.isArray(balances)) return null;
  const ofUsdc = balances.filter((entry) => textAt(entry, 'currency')?.toLowerCase() === 'usdc');
  const amounts = ofUsdc.map((entry) => signedAmountFrom(decimalAt(entry, 'balance') ?? ''));
  if (amounts.length === 0 || amounts.includes(null)) return null;
  return amounts.reduce<MicroUsdc>((sum, amount) => sum + (amount ?? 0n), 0n);
}

function signedAmountFrom(text: string): MicroUsdc | null {
  const isBelowZero = text.startsWith('-');
  const amount = parseUsdc(isBelowZero ? text.slice(1) : text);
  if (amount === undefined) return null;
  return isBelowZero ? -amount : amount;
}

/**
 * Wider than the pound has moved in fifty years. What is beyond comes from a spoilt answer, and a payout reckoned with it
 * would take a fraction of its cost from the wallet, or many times that.
 */
const plausibleRates = { lowest: 400_000n, highest: 1_200_000n };

function isPlausible(rate: GbpPerUsd | undefined): rate is GbpPerUsd {
  return rate !== undefined && rate >= plausibleRates.lowest && rate <= plausibleRates.highest;
}

export function rateFrom(answer: HttpExchange): GbpPerUsd | null {
  if (!isSuccess(answer)) return null;
  const body = parseJson(answer.body);
  const buy = parseRate(decimalAt(body, 'buy_rate') ?? '');
  const sell = parseRate(decimalAt(body, 'sell_rate') ?? '');
  return isPlausible(buy) && isPlausible(sell) ? cautiousRate([buy, sell]) : null;
}
