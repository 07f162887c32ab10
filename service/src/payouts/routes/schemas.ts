import { Type, type Static } from 'typebox';
import { exampleValues } from '../../http/schema/example-values.ts';
import { dateTime, Environment, listOf, money, nullableText, oneOf, uuid } from '../../http/schema/fields.ts';
import { patterns } from '../../http/schema/patterns.ts';
import { nameSchema } from '../../http/schema/schemas.ts';
import { formatPounds } from '../../money/amounts.ts';
import { payoutLimits } from '../../partners/index.ts';

// What the API takes and gives. Each is validation, serialisation, description and type in one.

const text = (description: string, more: object = {}) =>
  Type.String({ pattern: patterns.anyText, description, ...more });

const name = (description: string) => text(description, { pattern: patterns.payeeName, minLength: 1, maxLength: 80 });

export const statuses = ['pending', 'processing', 'completed', 'failed', 'cancelled', 'returned'] as const;

const country = 'The country of the recipient. Only `GB` is enabled.';
const Country = Type.Literal('GB', { description: country });
const OptionalCountry = Type.Optional(Type.Literal('GB', { default: 'GB', description: country }));
const Rate = Type.Number({ description: 'Pounds per US dollar, to six decimals: 1 USDC = £0.79.' });
export const ExchangeRate = Type.Object({ gbp_per_usd: Rate }, { description: 'The exchange rate applied.' });
const strict = { additionalProperties: false };

const { smallest, largest } = payoutLimits('simulated');
const range = `From ${formatPounds(smallest)} to ${formatPounds(largest)}`;
const liveMinimum = formatPounds(payoutLimits('provider_production').smallest);
const Amount = money(`What the recipient receives, in pounds. ${range}. In live the bank's minimum is ${liveMinimum}.`);

export const FeeBreakdown = Type.Object(
  {
    taken_in_transfer_gbp: money("The bank's share, in pounds. The wallet pays it with the transfer."),
    on_monthly_invoice_gbp: money('The rest of the fee, in pounds, charged on the monthly invoice.'),
  },
  { description: 'How the fee is paid. The two parts add up to `fee_gbp`.' },
);

export const PayoutPath = Type.Object({
  id: Type.String({
    pattern: patterns.uuid,
    description: 'The id of the payout.',
    examples: [exampleValues.payoutId],
  }),
});

export const QuoteRequest = nameSchema(
  'QuoteRequest',
  Type.Object({ amount_gbp: Amount, country: OptionalCountry }, { ...strict, description: 'The payout to price.' }),
);

const Address = Type.Object(
  {
    line1: text('First line of the address.'),
    line2: Type.Optional(text('Second line of the address.')),
    city: text('Town or city.'),
    postal_code: text('Postcode.'),
    region: Type.Optional(text('County or region. Defaults to `city`.', { maxLength: 80 })),
  },
  { ...strict, description: 'The postal address of the recipient.' },
);

const BankAccount = Type.Object(
  {
    bank_name: text("The name of the recipient's bank."),
    sort_code: Type.String({
      pattern: patterns.sixDigits,
      description: 'Sort code: 6 digits without hyphens. In sandbox, `000000` is that of the test accounts.',
    }),
    account_number: Type.String({
      pattern: patterns.eightDigits,
      description: 'Account number: 8 digits. In sandbox, a number that ends in `0000` always fails.',
    }),
  },
  { ...strict, description: 'The UK bank account to pay.' },
);

export const Recipient = nameSchema(
  'Recipient',
  Type.Object(
    {
      type: Type.Optional(
        oneOf(['individual', 'business'], {
          default: 'individual',
          description: 'Whether the recipient is a person or a business.',
        }),
      ),
      first_name: name('First name. For a business, the first part of its name.'),
      last_name: name('Last name. For a business, the rest of its name.'),
      email: Type.Optional(
        Type.String({ format: 'email', maxLength: 254, description: 'Email address of the recipient.' }),
      ),
      address: Address,
      bank: BankAccount,
    },
    {
      ...strict,
      description: 'Who is paid. Responses return only the name and the last four digits of the account number.',
    },
  ),
);

export const CreatePayoutRequest = nameSchema(
  'CreatePayoutRequest',
  Type.Object(
    {
      amount_gbp: Amount,
      country: OptionalCountry,
      reference: Type.Optional(
        text('Your own reference. The recipient sees `bank_reference`, which is made from it.', { maxLength: 120 }),
      ),
      recipient: Recipient.ref,
      confirm_code: Type.Optional(
        Type.String({
          pattern: patterns.sixDigits,
          examples: ['204816'],
          description: 'The emailed code that confirms a live payout of a dashboard user. Ignored for API keys.',
        }),
      ),
    },
    { ...strict, description: 'The payout to create.' },
  ),
);
export type CreatePayoutBody = Static<typeof CreatePayoutRequest.definition>;

export const QuoteSchema = nameSchema(
  'Quote',
  Type.Object(
    {
      object: Type.Literal('quote', { description: 'Always `quote`.' }),
      country: Country,
      seller_receives_gbp: money('What the recipient receives, in pounds.'),
      fee_gbp: money('The whole fee of the payout, in pounds.'),
      wallet_sends_usdc: money(
        "What the wallet pays, in USDC: the recipient's amount and the bank's share of the fee.",
      ),
      exchange_rate: ExchangeRate,
      fee_breakdown: FeeBreakdown,
    },
    { description: 'What a payout costs at the current exchange rate. A quote is not binding.' },
  ),
);

const payoutFields = {
  id: uuid('The id of the payout.'),
  object: Type.Literal('payout', { description: 'Always `payout`.' }),
  environment: Environment,
  status: oneOf(statuses, {
    description:
      '`pending`: waiting for the bank to confirm it. `processing`: on its way. `completed`: in the account of the recipient. `failed` and `cancelled`: not paid, nothing charged. `returned`: sent back by the bank of the recipient. The last three are final; a completed payout can still be returned.',
  }),
  idempotency_key: nullableText({
    description:
      'The Idempotency-Key that the payout was created with. Null only for a payout that we rebuilt from the bank’s records and whose request you have not repeated.',
  }),
  reference: nullableText({ description: 'Your own reference.' }),
  bank_reference: Type.String({
    description: 'The reference that the recipient sees on their statement, at most 18 characters.',
  }),
  country: Country,
  amount_gbp: money('What the recipient receives, in pounds.'),
  fee_gbp: money('The whole fee, in pounds. Only completed payouts are charged.'),
  wallet_sent_usdc: money('What the wallet paid, in USDC.'),
  recipient: Type.Object(
    {
      name: nullableText({ description: 'The name of the recipient.' }),
      account_last4: nullableText({ description: 'The last four digits of the account number.' }),
    },
    { description: 'Who is paid.' },
  ),
  failure_code: nullableText({
    description: 'Why the payout failed or was returned: a stable code to write your program against. Otherwise null.',
  }),
  failure_reason: nullableText({ description: 'The same in words. It may be reworded at any time.' }),
  created_at: dateTime('When the payout was created.'),
  updated_at: dateTime('When its status last changed.'),
  created_via: oneOf(['api', 'dashboard'], { description: 'Whether an API key or a dashboard user created it.' }),
  duplicate_suspected: Type.Boolean({
    description:
      'Whether you created another payout for the same recipient account and the same amount in the 24 hours before, under another Idempotency-Key. Payouts that failed, were cancelled or were returned don’t count. The payout is sent all the same: cancel it if it was a mistake.',
  }),
};
export const PayoutSchema = nameSchema('Payout', Type.Object(payoutFields, { description: 'A payout as it is now.' }));
export const PayoutCreated = nameSchema(
  'PayoutCreated',
  Type.Object(
    { ...payoutFields, quote: Type.Optional(QuoteSchema.ref) },
    { description: 'The new payout, with the quote that it was created at.' },
  ),
);
export const PayoutList = nameSchema('PayoutList', listOf(PayoutSchema.ref, { description: 'Payouts, newest first.' }));
export const BalanceSchema = nameSchema(
  'Balance',
  Type.Object(
    {
      object: Type.Literal('balance', { description: 'Always `balance`.' }),
      usdc: money('The wallet balance in USDC, rounded down.'),
      approx_gbp: money('Its value in pounds at the current exchange rate, rounded down.'),
      gbp_per_usd: Rate,
    },
    { description: 'The balance of the wallet.' },
  ),
);
