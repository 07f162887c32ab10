import { Type } from 'typebox';
import { dateTime, money, oneOf, uuid } from '../schema/fields.ts';

const FieldProblem = Type.Object(
  {
    path: Type.String({
      description:
        'Where the problem is: a field of the body, for example `recipient.bank.sort_code`, a query parameter or a header.',
    }),
    rule: Type.String({ description: 'The rule that the value breaks. For people: it may be reworded.' }),
  },
  { description: 'One problem with the request.' },
);

const fields = Type.Array(FieldProblem, { description: 'Every problem with the request, at most 50.' });
const missing = Type.Array(Type.String(), {
  examples: [['recipient.bank.sort_code (6 digits)']],
  description: 'Recipient fields to send or correct, each with its format: `recipient.bank.sort_code (6 digits)`.',
});

const signed = {
  challenge: 'pVh8m2sQe1yRk3dTzNf0uLxGv7bWcJaE5oYiHq9rUwM',
  rp_id: 'dashboard.kelpie.example',
  credentials: [{ id: 'pVh8m2sQe1yRk3dTzNf0uLxGv7bWcJaE5oYiHq9rUwM', transports: ['internal'] }],
};

/** What `details` holds, by the name that the reference gives it. The table of codes says which code has which. */
export const errorDetails = {
  IdempotencyKeyDetails: Type.Object(
    { pattern: Type.String({ description: 'The regular expression that an Idempotency-Key must match.' }) },
    { description: 'The accepted format of the Idempotency-Key header.' },
  ),
  InsufficientFundsDetails: Type.Object(
    {
      available_usdc: money('The wallet balance, in USDC.'),
      required_usdc: money('What the payout needs, in USDC.'),
      shortfall_usdc: money('The smallest top-up that covers the payout, in USDC.'),
    },
    { description: 'How much the wallet lacks.' },
  ),
  ConfirmationDetails: Type.Object(
    {
      good_until: dateTime('When the emailed code, or the challenge for a passkey, expires.'),
      passkey: Type.Optional(
        Type.Object(
          {
            challenge: Type.String({
              description: 'What the passkey signs, in base64url.',
              examples: [signed.challenge],
            }),
            rp_id: Type.String({ description: 'The domain that the passkey is for.', examples: [signed.rp_id] }),
            credentials: Type.Array(
              Type.Object({
                id: Type.String({
                  description: 'The id of the credential, in base64url.',
                  examples: [signed.challenge],
                }),
                transports: Type.Array(Type.String(), {
                  description: 'How the browser reaches it.',
                  examples: [['internal']],
                }),
              }),
              { description: 'The passkeys that can sign it.', examples: [signed.credentials] },
            ),
          },
          {
            description:
              'Only for a person who has to use a passkey. Send what it signs to `POST /v1/passkey-proofs`, then repeat the request.',
            examples: [signed],
          },
        ),
      ),
    },
    { description: 'How the person confirms, and until when.' },
  ),
  ProofOfWorkDetails: Type.Object(
    {
      challenge: Type.String({ description: 'What to solve. It is bound to the email address.' }),
      bits: Type.Integer({ description: 'With how many zero bits the digest must begin.' }),
      good_until: dateTime('When the challenge expires.'),
    },
    { description: 'The challenge to solve.' },
  ),
  LimitExceededDetails: Type.Object(
    {
      limit: oneOf(['daily', 'key', 'new_payee'], {
        description:
          'Which limit: of the account (`daily`), of the API key (`key`) or for an account that you have not paid before (`new_payee`). If the payout exceeds several, the one with the least left.',
      }),
      limit_gbp: money('The limit per day, in pounds.'),
      left_gbp: money('What is left of it today, in pounds.'),
      resets_at: dateTime('When the day ends: midnight in London.'),
    },
    { description: 'The daily limit that the payout exceeds.' },
  ),
  IdempotencyKeyReusedDetails: Type.Object(
    {
      payout_id: Type.Optional(uuid('The payout that the key created. Absent if it created none.')),
      mismatched: Type.Array(Type.String(), {
        description: 'Paths of the fields that differ from the first request. Values are never returned.',
      }),
    },
    { description: 'How the body differs from the first request with this key.' },
  ),
  PayoutRequestDetails: Type.Object(
    {
      payout_request: Type.Object(
        {
          id: uuid('The id of the payout request.'),
          status: oneOf(['open', 'approved', 'declined', 'expired'], { description: 'Its status.' }),
          reasons: Type.Array(oneOf(['amount', 'new_payee', 'key']), { description: 'Which rules ask for approval.' }),
          expires_at: dateTime('Until when it can be approved.'),
        },
        { description: 'The request, without names. `GET /v1/payout-requests/{id}` has all of it.' },
      ),
    },
    { description: 'The payout that waits for another admin, or what was decided.' },
  ),
  NotCreatedDetails: Type.Object(
    {
      reason: oneOf(['bank_unreachable', 'bank_refused', 'rate_stale', 'payments_paused', 'recovery'], {
        description: 'Why no payout was created.',
      }),
    },
    { description: 'Why no payout was created. Nothing was sent.' },
  ),
  InvalidFieldsDetails: Type.Object({ fields, missing: Type.Optional(missing) }, { description: 'What is invalid.' }),
  InvalidRecipientDetails: Type.Object({ fields, missing }, { description: 'What is invalid or missing.' }),
} as const;

export type ErrorDetailsName = keyof typeof errorDetails;
