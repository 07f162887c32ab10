import type { Static } from 'typebox';
import { formatPounds, formatUsdc, parsePounds, type Pence } from '../../money/amounts.ts';
import { rateAsNumber } from '../../money/rates.ts';
import { instantOf } from '../../platform/ids.ts';
import type { PayoutOrder } from '../model/order.ts';
import type { ShownPayout } from '../model/payout.ts';
import type { Quote } from '../pricing/quote.ts';
import type { Balance } from '../reading/read-balance.ts';
import type { BalanceSchema, CreatePayoutBody, PayoutSchema, QuoteSchema } from './schemas.ts';

// Between what the API takes and gives, and what we work with.

/** Above every limit. */
const unpayable: Pence = 10n ** 20n;

/** The amount of a MoneyString. One with more digits than we read is out of range, whatever it is. */
export function amountFrom(text: string): Pence {
  return parsePounds(text) ?? unpayable;
}

/** An empty text, or one of spaces alone, is none. */
function textOrNull(text: string | undefined): string | null {
  return text === undefined || text.trim() === '' ? null : text;
}

/** From a body that its schema has let through. */
export function orderFrom({ amount_gbp: amountText, country, reference, recipient }: CreatePayoutBody): PayoutOrder {
  const { address, bank } = recipient;
  return {
    amount: amountFrom(amountText),
    country: country ?? 'GB',
    reference: textOrNull(reference),
    recipient: {
      type: recipient.type ?? 'individual',
      firstName: recipient.first_name,
      lastName: recipient.last_name,
      email: recipient.email ?? null,
      bankName: bank.bank_name,
      sortCode: bank.sort_code,
      accountNumber: bank.account_number,
      address: {
        line1: address.line1,
        line2: textOrNull(address.line2),
        city: address.city,
        region: textOrNull(address.region) ?? address.city,
        postalCode: address.postal_code,
      },
    },
  };
}

export function payoutBody(payout: ShownPayout): Static<typeof PayoutSchema.definition> {
  return {
    id: payout.id,
    object: 'payout',
    environment: payout.environment,
    status: payout.state,
    idempotency_key: payout.idempotencyKey,
    reference: payout.reference,
    bank_reference: payout.bankReference,
    country: 'GB',
    amount_gbp: formatPounds(payout.amount),
    fee_gbp: formatPounds(payout.fee),
    wallet_sent_usdc: formatUsdc(payout.walletDebit),
    recipient: { name: payout.recipientName, account_last4: payout.accountLast4 },
    failure_code: payout.failureCode,
    failure_reason: payout.failureReason,
    created_at: instantOf(payout.id).toISOString(),
    updated_at: payout.updatedAt.toISOString(),
    created_via: payout.createdVia,
    duplicate_suspected: payout.isDuplicateSuspected,
  };
}

export function quoteBody({ amount, rate, cost }: Quote): Static<typeof QuoteSchema.definition> {
  return {
    object: 'quote',
    country: 'GB',
    seller_receives_gbp: formatPounds(amount),
    fee_gbp: formatPounds(cost.fee),
    wallet_sends_usdc: formatUsdc(cost.walletDebit),
    exchange_rate: { gbp_per_usd: rateAsNumber(rate) },
    fee_breakdown: {
      taken_in_transfer_gbp: formatPounds(cost.providerFee),
      on_monthly_invoice_gbp: formatPounds(cost.invoiceShare),
    },
  };
}

export function balanceBody({ usdc, gbp, rate }: Balance): Static<typeof BalanceSchema.definition> {
  return { object: 'balance', usdc: formatUsdc(usdc), approx_gbp: formatPounds(gbp), gbp_per_usd: rateAsNumber(rate) };
}
