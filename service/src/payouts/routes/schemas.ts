import { Type, type Static } from 'typebox';
import { Environment, Id, Instant, listOf, MoneyString, nullableText, oneOf } from '../../http/schema/fields.ts';
import { patterns } from '../../http/schema/patterns.ts';
import { nameSchema } from '../../http/schema/schemas.ts';

// What the API takes and gives. Each is validation, serialisation, description and type in one.

const text = (more: object = {}) => Type.String({ pattern: patterns.anyText, ...more });

const Country = Type.Literal('GB');
const Rate = Type.Number({ description: 'Pounds for one dollar, to six places.', examples: [0.79] });
const strict = { additionalProperties: false };

export const QuoteRequest = nameSchema(
  'QuoteRequest',
  Type.Object(
    { amount_gbp: MoneyString, country: Type.Optional(Type.Literal('GB', { default: 'GB' })) },
    { ...strict, description: 'The amount that the recipient shall receive.' },
  ),
);

const Address = Type.Object(
  {
    line1: text(),
    line2: Type.Optional(text()),
    city: text(),
    postal_code: text(),
    region: Type.Optional(text({ maxLength: 80, description: 'The town is used where it is left out.' })),
  },
  strict,
);

const BankAccount = Type.Object(
  {
    bank_name: text(),
    sort_code: Type.String({ pattern: patterns.sixDigits, examples: ['040004'] }),
    account_number: Type.String({ pattern: patterns.eightDigits, examples: ['12345678'] }),
  },
  strict,
);

const Recipient = Type.Object(
  {
    type: Type.Optional(Type.Enum(['individual', 'business'], { default: 'individual' })),
    first_name: text({ minLength: 1, maxLength: 80 }),
    last_name: text({ minLength: 1, maxLength: 80 }),
    email: Type.Optional(Type.String({ format: 'email', maxLength: 254 })),
    address: Address,
    bank: BankAccount,
  },
  { ...strict, description: 'Who is paid. Only the name and the last four digits of the account are ever returned.' },
);

export const CreatePayoutRequest = nameSchema(
  'CreatePayoutRequest',
  Type.Object(
    {
      amount_gbp: MoneyString,
      country: Type.Optional(Type.Literal('GB', { default: 'GB' })),
      reference: Type.Optional(
        text({ maxLength: 120, description: 'Yours. `bank_reference` is what the recipient sees of it.' }),
      ),
      recipient: Recipient,
      confirm_code: Type.Optional(
        Type.String({
          pattern: patterns.sixDigits,
          description:
            'From the mail by which a person confirms a live payout. Not needed with an API key or in sandbox, and ignored there.',
        }),
      ),
    },
    strict,
  ),
);
export type CreatePayoutBody = Static<typeof CreatePayoutRequest.definition>;

const quoteFields = {
  object: Type.Literal('quote'),
  country: Country,
  seller_receives_gbp: MoneyString,
  fee_gbp: MoneyString,
  wallet_sends_usdc: MoneyString,
  exchange_rate: Type.Object({ gbp_per_usd: Rate }),
  fee_breakdown: Type.Object({ taken_in_transfer_gbp: MoneyString, on_monthly_invoice_gbp: MoneyString }),
};
export const QuoteSchema = nameSchema(
  'Quote',
  Type.Object(quoteFields, { description: 'What a payout would cost now. It binds nobody.' }),
);

const payoutFields = {
  id: Id,
  object: Type.Literal('payout'),
  environment: Environment,
  status: oneOf(['pending', 'processing', 'completed', 'failed', 'cancelled', 'returned'], {
    description: 'failed, cancelled and returned are final; a completed payout can still be returned.',
  }),
  idempotency_key: Type.String({
    description: 'The Idempotency-Key that the payout was created with.',
    examples: ['order-2041'],
  }),
  reference: nullableText(),
  bank_reference: Type.String({ description: 'What the recipient sees: at most 18 characters.' }),
  country: Country,
  amount_gbp: MoneyString,
  fee_gbp: MoneyString,
  wallet_sent_usdc: MoneyString,
  recipient: Type.Object({ name: nullableText(), account_last4: nullableText() }),
  failure_code: nullableText({ description: 'Stable: write your code against this.' }),
  failure_reason: nullableText({ description: 'For people.' }),
  created_at: Instant,
  updated_at: Instant,
  created_via: oneOf(['api', 'dashboard']),
};
export const PayoutSchema = nameSchema(
  'Payout',
  Type.Object(payoutFields, { description: 'One order to pay a recipient, as it is now.' }),
);
export const PayoutCreated = nameSchema(
  'PayoutCreated',
  Type.Object({ ...payoutFields, quote: Type.Optional(QuoteSchema.ref) }, { description: 'A payout, with its quote.' }),
);
export const PayoutList = nameSchema(
  'PayoutList',
  listOf(PayoutSchema.ref, {
    description: 'Newest first. The `Link` header has the address of the next page, if there is one.',
  }),
);
export const BalanceSchema = nameSchema(
  'Balance',
  Type.Object(
    { object: Type.Literal('balance'), usdc: MoneyString, approx_gbp: MoneyString, gbp_per_usd: Rate },
    { description: 'What the wallet holds, and about how many pounds that is.' },
  ),
);
