import { Type, type Static } from 'typebox';
import { exampleValues } from './example-values.ts';
import { dateTime, Environment, money, nullableInstant, nullableText, oneOf, uuid } from './fields.ts';
import { nameSchema } from './schemas.ts';

export const PayoutRequestSchema = nameSchema(
  'PayoutRequest',
  Type.Object(
    {
      id: uuid('The id of the payout request.'),
      object: Type.Literal('payout_request', { description: 'Always `payout_request`.' }),
      environment: Environment,
      status: oneOf(['open', 'approved', 'declined', 'expired'], {
        description:
          '`open` waits for another admin. `approved` has its payout. `declined` and `expired` are final: nothing was sent.',
      }),
      idempotency_key: Type.String({
        description: 'The Idempotency-Key of the payout. A retry with it returns the payout once it is approved.',
      }),
      amount_gbp: money('What the recipient receives, in pounds.'),
      reference: nullableText({ description: 'The reference of the payout, or null.' }),
      recipient: Type.Object(
        {
          name: nullableText({ description: 'The name of the recipient. Null once it was erased.' }),
          account_last4: nullableText({
            description: 'The last four digits of the account number. Null once they were erased.',
          }),
        },
        { description: 'Who would be paid.' },
      ),
      reasons: Type.Array(oneOf(['amount', 'new_payee', 'key']), {
        description:
          'Which rules ask for approval: the amount, an account that no payout was completed to before (`new_payee`), or the API key.',
      }),
      requested_via: oneOf(['api', 'dashboard'], {
        description: 'Whether an API key or a dashboard user asked for it.',
      }),
      requested_by: Type.String({ description: 'The prefix of the API key, or the email address of the person.' }),
      created_at: dateTime('When it was asked for.'),
      expires_at: dateTime('Until when it can be approved: 72 hours after it was asked for.'),
      decided_at: nullableInstant({
        description: 'When it was approved or declined, or expired. Null while it is open.',
      }),
      decided_by: nullableText({ description: 'The email address of the admin who approved or declined it, or null.' }),
      payout_id: nullableText({ format: 'uuid', description: 'The payout, once approved.' }),
    },
    { description: 'A payout that waits for approval by another admin, or what was decided. It holds no money.' },
  ),
);

export const payoutRequestExample: Static<typeof PayoutRequestSchema.definition> = {
  id: exampleValues.payoutRequestId,
  object: 'payout_request',
  environment: 'sandbox',
  status: 'open',
  idempotency_key: exampleValues.idempotencyKey,
  amount_gbp: '850.00',
  reference: exampleValues.reference,
  recipient: { name: 'Grace Hopper', account_last4: '5678' },
  reasons: ['amount'],
  requested_via: 'api',
  requested_by: exampleValues.keyPrefix,
  created_at: exampleValues.createdAt,
  expires_at: '2026-11-19T09:30:00.000Z',
  decided_at: null,
  decided_by: null,
  payout_id: null,
};
