import { parseUsdc, type MicroUsdc, type Pence } from '../../money/amounts.ts';
import type { HttpExchange } from '../http-exchange.ts';
import type {
  BankAccountDetails,
  DepositLine,
  DepositPage,
  DepositSender,
  DepositEvent,
  FundingMethod,
  OpenAccountOutcome,
  OpenAddressOutcome,
} from '../port/funding.ts';
import { walletChain } from '../wallet-chain.ts';
import { describeAnswer, isSuccess } from './answers.ts';
import { decimalAt, instantAt, parseJson, textAt, valueAt } from './wire-values.ts';

// Bridge's virtual accounts and liquidation addresses in our words and back: with no network and no state, as in mapping.ts.

export function virtualAccountBody(walletId: string): object {
  return {
    source: { currency: 'gbp' },
    destination: { currency: 'usdc', payment_rail: walletChain, bridge_wallet_id: walletId },
  };
}

export function liquidationAddressBody(walletId: string): object {
  return {
    chain: walletChain,
    currency: 'usdc',
    destination_currency: 'usdc',
    destination_payment_rail: walletChain,
    bridge_wallet_id: walletId,
  };
}

interface OpenedAccount {
  sourceId: string;
  details: BankAccountDetails;
}

/** Under either of the names by which examples and schemas call it. */
function eitherAt(reported: unknown, name: string, otherName: string): string {
  return textAt(reported, name) ?? textAt(reported, otherName) ?? '';
}

function detailsFrom(reported: unknown): BankAccountDetails | undefined {
  const accountNumber = eitherAt(reported, 'account_number', 'bank_account_number');
  const sortCode = eitherAt(reported, 'sort_code', 'bank_sort_code').replaceAll('-', '');
  const accountHolderName = eitherAt(reported, 'account_holder_name', 'bank_beneficiary_name');
  if (accountHolderName === '' || !/^\d{8}$/.test(accountNumber) || !/^\d{6}$/.test(sortCode)) return undefined;
  const bankName = textAt(reported, 'bank_name') ?? null;
  return {
    accountHolderName,
    accountNumber,
    sortCode,
    bankName,
    bankAddress: textAt(reported, 'bank_address') ?? null,
  };
}

/** A virtual account for pounds that leads to this wallet and works, or undefined where it is none. */
export function accountFrom(body: unknown, walletId: string): OpenedAccount | undefined {
  const sourceId = textAt(body, 'id');
  const reported = valueAt(body, 'source_deposit_instructions');
  const details = detailsFrom(reported);
  const isDead = textAt(body, 'status') === 'deactivated';
  const isPounds = (textAt(reported, 'currency') ?? 'gbp') === 'gbp';
  if (sourceId === undefined || details === undefined || isDead || !isPounds) return undefined;
  return textAt(body, 'destination', 'bridge_wallet_id') === walletId ? { sourceId, details } : undefined;
}

interface OpenedAddress {
  sourceId: string;
  chain: string;
  address: string;
}

/** A liquidation address for USDC that leads to this wallet, or undefined where it is none. */
export function addressFrom(body: unknown, walletId: string): OpenedAddress | undefined {
  const sourceId = textAt(body, 'id');
  const address = textAt(body, 'address');
  const leadsTo = textAt(body, 'bridge_wallet_id') ?? textAt(body, 'destination', 'bridge_wallet_id');
  const isOurs = textAt(body, 'chain') === walletChain && textAt(body, 'currency') === 'usdc' && leadsTo === walletId;
  if (sourceId === undefined || address === undefined || !isOurs) return undefined;
  return { sourceId, chain: walletChain, address };
}

/** What the customer has already. A list that can't be read must not pass for an empty one. */
export function existingIn<Found>(
  answer: HttpExchange,
  read: (entry: unknown) => Found | undefined,
): { kind: 'listed'; found: Found | undefined } | { kind: 'failed'; text: string } {
  const data = isSuccess(answer) ? valueAt(parseJson(answer.body), 'data') : undefined;
  if (!Array.isArray(data)) return { kind: 'failed', text: `list: ${describeAnswer(answer)}` };
  return { kind: 'listed', found: data.map(read).find((found) => found !== undefined) };
}

export function openAccountOutcome(answer: HttpExchange, walletId: string): OpenAccountOutcome {
  const opened = isSuccess(answer) ? accountFrom(parseJson(answer.body), walletId) : undefined;
  return opened === undefined ? { kind: 'failed', text: describeAnswer(answer) } : { kind: 'opened', ...opened };
}

export function openAddressOutcome(answer: HttpExchange, walletId: string): OpenAddressOutcome {
  const opened = isSuccess(answer) ? addressFrom(parseJson(answer.body), walletId) : undefined;
  return opened === undefined ? { kind: 'failed', text: describeAnswer(answer) } : { kind: 'opened', ...opened };
}

const states = new Map<string, DepositEvent['state']>([
  ['awaiting_funds', 'arriving'],
  ['pending', 'arriving'],
  ['funds_scheduled', 'arriving'],
  ['funds_received', 'arriving'],
  ['in_review', 'arriving'],
  ['payment_submitted', 'arriving'],
  ['payment_processed', 'processed'],
  // On its way back: only the end of it moves money.
  ['undeliverable', 'arriving'],
  ['refund_in_flight', 'arriving'],
  ['returned', 'refunded'],
  ['refunded', 'refunded'],
  ['refund', 'refunded'],
]);

/** Of a virtual account, and not of a deposit. */
const ofTheAccount = new Set(['account_update', 'activation', 'deactivation', 'reactivation', 'microdeposit']);

/** USDC as the bank writes it, with as many zeros as it likes. */
function microFrom(text: string | undefined): MicroUsdc | null {
  const amount = parseUsdc(text ?? '');
  return amount === undefined ? null : amount;
}

function positive(amount: bigint | null): bigint | null {
  return amount === null || amount <= 0n ? null : amount;
}

/** "100.0" is a hundred pounds; what has parts of a penny is none. */
function penceFrom(text: string | undefined): Pence | null {
  const micro = microFrom(text);
  return micro === null || micro % 10_000n !== 0n ? null : micro / 10_000n;
}

function sum(amounts: readonly (MicroUsdc | null)[]): MicroUsdc {
  return amounts.reduce<bigint>((total, amount) => total + (amount ?? 0n), 0n);
}

const longestWord = 100;
const longestText = 200;

function last4(number: string | undefined): string | null {
  return number === undefined || number.length < 4 ? null : number.slice(-4);
}

function shortened(text: string | undefined): string | null {
  return text?.slice(0, longestText) ?? null;
}

function senderOf(source: unknown): DepositSender | null {
  const sender = {
    name: shortened(textAt(source, 'sender_name')),
    accountLast4: last4(textAt(source, 'sender_account_number') ?? textAt(source, 'sender_bank_account_number')),
    address: null,
    reference: shortened(textAt(source, 'description') ?? textAt(source, 'reference')),
  };
  return Object.values(sender).every((value) => value === null) ? null : sender;
}

/** One event of a virtual account. Its amount is pounds until it was converted, and USDC net of the fees from then on. */
function eventOfActivity(body: unknown, type: string): DepositEvent | null {
  const depositId = textAt(body, 'deposit_id');
  if (depositId === undefined || ofTheAccount.has(type)) return null;
  const isUsdc = textAt(body, 'currency') === 'usdc';
  const amount = decimalAt(body, 'amount');
  const state = states.get(type) ?? 'needs_attention';
  const fees = ['exchange_fee_amount', 'developer_fee_amount', 'gas_fee'].map((name) =>
    microFrom(decimalAt(body, name)),
  );
  return {
    depositId,
    bankState: type.slice(0, longestWord),
    state,
    wasProcessed: state === 'processed',
    sentPence: isUsdc ? null : positive(penceFrom(amount)),
    net: isUsdc ? positive(microFrom(amount)) : null,
    fee: isUsdc ? sum(fees) : null,
    sender: senderOf(valueAt(body, 'source')),
  };
}

/** A drain as it is now. What it brings is what its receipt says, and never reckoned by us. */
function eventOfDrain(body: unknown, depositId: string, bankState: string): DepositEvent {
  const receipt = valueAt(body, 'receipt');
  const state = states.get(bankState) ?? 'needs_attention';
  const fees = ['exchange_fee', 'developer_fee', 'gas_fee'].map((name) => microFrom(decimalAt(receipt, name)));
  const final = decimalAt(receipt, 'final_amount') ?? decimalAt(receipt, 'outgoing_amount');
  const address = textAt(body, 'from_address') ?? textAt(body, 'source', 'from_address');
  return {
    depositId,
    bankState: bankState.slice(0, longestWord),
    state,
    // A drain is one line that changes: that it was delivered before it was sent back shows by the hash of the delivery.
    wasProcessed: state === 'processed' || textAt(body, 'destination_tx_hash') !== undefined,
    sentPence: null,
    net: positive(microFrom(final)),
    fee: valueAt(receipt, 'initial_amount') === undefined ? null : sum(fees),
    sender:
      address === undefined ? null : { name: null, accountLast4: null, address: shortened(address), reference: null },
  };
}

function lineFrom(body: unknown, method: FundingMethod): DepositLine | undefined {
  const id = textAt(body, 'id');
  const at = instantAt(body, 'created_at');
  const said = textAt(body, method === 'bank_transfer' ? 'type' : 'state');
  if (id === undefined || said === undefined) return undefined;
  if (method === 'bank_transfer')
    return { id, at, changedAt: at, mayChange: false, event: eventOfActivity(body, said) };
  const event = eventOfDrain(body, id, said);
  // One that the bank is stuck with may stay so for ever: a webhook tells where it goes on.
  return { id, at, changedAt: instantAt(body, 'updated_at') ?? at, mayChange: event.state === 'arriving', event };
}

/** A page of a source's list. A line that can't be read must not pass for one that is not there. */
export function depositPageFrom(answer: HttpExchange, method: FundingMethod, pageSize: number): DepositPage | null {
  const data = isSuccess(answer) ? valueAt(parseJson(answer.body), 'data') : undefined;
  if (!Array.isArray(data)) return null;
  const lines = data.map((entry: unknown) => lineFrom(entry, method));
  const known = lines.filter((line) => line !== undefined);
  if (known.length !== lines.length) return null;
  return { lines: known, next: known.length < pageSize ? null : (known.at(-1)?.id ?? null) };
}
