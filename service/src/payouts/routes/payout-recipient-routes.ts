import { Type, type Static } from 'typebox';
import type { Authentication } from '../../http/auth/authentication.ts';
import { keyedErrors } from '../../http/errors/responses.ts';
import { nullableText, oneOf, Query, uuid } from '../../http/schema/fields.ts';
import { addSchema, nameSchema } from '../../http/schema/schemas.ts';
import type { Server } from '../../http/server.ts';
import type { Archive } from '../../archive/index.ts';
import type { Encryptor } from '../../platform/encryption.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import type { PayoutRecipient } from '../model/order.ts';
import { readRecipient } from '../reading/read-recipient.ts';
import { payoutRecipient } from './examples.ts';
import { PayoutPath } from './schemas.ts';

const PayoutRecipientSchema = nameSchema(
  'PayoutRecipient',
  Type.Object(
    {
      object: Type.Literal('payout_recipient', { description: 'Always `payout_recipient`.' }),
      payout_id: uuid('The id of the payout.'),
      type: oneOf(['individual', 'business'], { description: 'Person or business.' }),
      first_name: Type.String({ description: 'First name. For a business, the first part of its name.' }),
      last_name: Type.String({ description: 'Last name. For a business, the rest of its name.' }),
      email: nullableText({ description: "The recipient's email address." }),
      address: Type.Object(
        {
          line1: Type.String({ description: 'Street address.' }),
          line2: nullableText({ description: 'Flat or building.' }),
          city: Type.String({ description: 'Town or city.' }),
          region: Type.String({ description: 'County or region.' }),
          postal_code: Type.String({ description: 'Postcode.' }),
        },
        { description: "The recipient's address." },
      ),
      bank: Type.Object(
        {
          bank_name: Type.String({ description: "Name of the recipient's bank." }),
          account_last4: Type.String({ description: 'Last four digits of the account number.' }),
        },
        { description: "The recipient's bank account. The whole number is never returned." },
      ),
    },
    { description: 'The recipient details that a payout was created with, to fill in the next payout to them.' },
  ),
);

function recipientBody(payoutId: string, recipient: PayoutRecipient): Static<typeof PayoutRecipientSchema.definition> {
  const { type, firstName, lastName, email, address, bankName, accountNumber } = recipient;
  return {
    object: 'payout_recipient',
    payout_id: payoutId,
    type,
    first_name: firstName,
    last_name: lastName,
    email,
    address: {
      line1: address.line1,
      line2: address.line2,
      city: address.city,
      region: address.region,
      postal_code: address.postalCode,
    },
    bank: { bank_name: bankName, account_last4: accountNumber.slice(-4) },
  };
}

interface RecipientDeps extends Authentication {
  calls: SingleCalls;
  archive: Archive;
  encryptor: Encryptor;
}

/** For "Pay again" in the dashboard. Admins only, because it holds an address. */
export function addPayoutRecipientRoutes(app: Server, { requireCaller, callerOf, ...deps }: RecipientDeps): void {
  addSchema(app, PayoutRecipientSchema, payoutRecipient);
  const schema = {
    operationId: 'getPayoutRecipient',
    summary: "Retrieve a payout's recipient",
    description:
      'Returns the recipient details that the payout was created with, to pay them again. Only the last four digits of the account number are returned.',
    tags: ['Dashboard payouts'],
    params: PayoutPath,
    querystring: Query,
    response: { 200: PayoutRecipientSchema.ref, ...keyedErrors('not_found') },
  };
  const config = { action: 'payout.recipient', access: 'admins' } as const;
  app.get('/v1/payouts/:id/recipient', { schema, config, onRequest: requireCaller }, async (request) => {
    const { id } = request.params;
    return recipientBody(id, await readRecipient(deps, callerOf(request), id));
  });
}
