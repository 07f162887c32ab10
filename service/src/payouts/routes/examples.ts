import type { Static } from 'typebox';
import { bankReference } from '../../banks/index.ts';
import { exampleValues } from '../../http/schema/example-values.ts';
import { formatPounds, formatUsdc } from '../../money/amounts.ts';
import { payoutCost, standardPayoutPrices } from '../../money/fees.ts';
import { poundsForUsdc, type GbpPerUsd } from '../../money/rates.ts';
import type { ShownPayout } from '../model/payout.ts';
import { payoutHeader, payoutLine } from '../reading/export-payouts.ts';
import type {
  BalanceSchema,
  CreatePayoutRequest,
  PayoutCreated,
  QuoteRequest,
  QuoteSchema,
  Recipient,
} from './schemas.ts';
import { balanceBody, payoutBody, quoteBody } from './wire-form.ts';

// What the reference shows of payouts. Every amount is computed by the rules that price a real payout.

const rate: GbpPerUsd = 790_000n;
const amount = 85_000n;
const cost = payoutCost(amount, rate, standardPayoutPrices);
const walletBefore = 5_000_000_000n;
const walletAfter = walletBefore - cost.walletDebit;

export const quoteRequest: Static<typeof QuoteRequest.definition> = { amount_gbp: formatPounds(amount), country: 'GB' };
export const quote: Static<typeof QuoteSchema.definition> = quoteBody({ amount, rate, cost });

export const recipient: Static<typeof Recipient.definition> = {
  type: 'individual',
  first_name: 'Grace',
  last_name: 'Hopper',
  email: 'grace@hopper.example',
  address: { line1: '12 Harbour Street', line2: 'Flat 3', city: 'Bristol', postal_code: 'BS1 5TY', region: 'Bristol' },
  bank: { bank_name: 'Monzo', sort_code: '040004', account_number: '12345678' },
};

export const createPayoutRequest: Static<typeof CreatePayoutRequest.definition> = {
  amount_gbp: formatPounds(amount),
  country: 'GB',
  reference: exampleValues.reference,
  recipient,
};

const processing: ShownPayout = {
  id: exampleValues.payoutId,
  environment: 'sandbox',
  state: 'processing',
  idempotencyKey: exampleValues.idempotencyKey,
  reference: exampleValues.reference,
  bankReference: bankReference(exampleValues.reference) ?? '',
  amount,
  fee: cost.fee,
  walletDebit: cost.walletDebit,
  recipientName: 'Grace Hopper',
  accountLast4: '5678',
  failureCode: null,
  failureReason: null,
  createdVia: 'api',
  isDuplicateSuspected: false,
  updatedAt: new Date(exampleValues.createdAt),
};
const completed: ShownPayout = { ...processing, state: 'completed', updatedAt: new Date(exampleValues.updatedAt) };

export const payoutCreated: Static<typeof PayoutCreated.definition> = { ...payoutBody(processing), quote };
export const payout = payoutBody(completed);
export const payoutsCsv = payoutHeader + payoutLine(completed);

/** After the payout of the other examples. */
export const balance: Static<typeof BalanceSchema.definition> = balanceBody({
  usdc: walletAfter,
  gbp: poundsForUsdc(walletAfter, rate),
  rate,
});

export const payoutHistory = {
  object: 'payout_history' as const,
  payout_id: exampleValues.payoutId,
  created_by: exampleValues.keyPrefix,
  exchange_rate: quote.exchange_rate,
  fee_breakdown: quote.fee_breakdown,
  steps: [
    { at: exampleValues.createdAt, status: 'processing' as const, by: exampleValues.keyPrefix, money_back: false },
    { at: exampleValues.updatedAt, status: 'completed' as const, by: 'bank', money_back: false },
  ],
  ledger: [
    {
      at: exampleValues.createdAt,
      account: 'wallet' as const,
      direction: 'out' as const,
      amount: formatUsdc(cost.walletDebit),
      currency: 'USDC' as const,
      reason: 'payout.hold',
      wallet_after_usdc: formatUsdc(walletAfter),
    },
    {
      at: exampleValues.updatedAt,
      account: 'invoice' as const,
      direction: 'out' as const,
      amount: formatPounds(cost.invoiceShare),
      currency: 'GBP' as const,
      reason: 'charge.payout_fees',
      wallet_after_usdc: null,
    },
  ],
};

const { bank, address, ...person } = recipient;
export const payoutRecipient = {
  object: 'payout_recipient' as const,
  payout_id: exampleValues.payoutId,
  type: 'individual' as const,
  first_name: person.first_name,
  last_name: person.last_name,
  email: person.email ?? null,
  address: { ...address, line2: address.line2 ?? null, region: address.region ?? address.city },
  bank: { bank_name: bank.bank_name, account_last4: '5678' },
};

export const recipientSummary = {
  ...payout.recipient,
  payouts: 1,
  paid_gbp: formatPounds(amount),
  last_paid_at: exampleValues.updatedAt,
};

export const usageDay = {
  date: exampleValues.createdAt.slice(0, 10),
  completed: 1,
  paid_gbp: formatPounds(amount),
  failed: 0,
};
