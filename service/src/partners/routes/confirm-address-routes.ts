import { Type } from 'typebox';
import { openBodyErrors } from '../../http/errors/responses.ts';
import type { LimitHook } from '../../http/limits/rate-limit.ts';
import { exampleValues } from '../../http/schema/example-values.ts';
import { addSchema, nameSchema } from '../../http/schema/schemas.ts';
import type { Server } from '../../http/server.ts';
import { confirmAddress, type ConfirmAddressDeps } from '../confirm-address.ts';

const ConfirmAddressRequest = nameSchema(
  'ConfirmAddressRequest',
  Type.Object(
    {
      token: Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'The token from the link in the email: what follows the `#`.',
      }),
    },
    { additionalProperties: false, description: 'The link that was sent to a contact or billing address.' },
  ),
);

const ConfirmedAddress = nameSchema(
  'ConfirmedAddress',
  Type.Object(
    {
      object: Type.Literal('confirmed_address', { description: 'Always `confirmed_address`.' }),
      account: Type.String({ description: 'The name of the business.' }),
    },
    { description: 'The address is confirmed. Alerts or invoices of the account go to it.' },
  ),
);

interface ConfirmAddressRouteDeps extends ConfirmAddressDeps {
  limitOpen: LimitHook;
  refuseForeign: LimitHook;
}

export function addConfirmAddressRoutes(
  app: Server,
  { limitOpen, refuseForeign, ...deps }: ConfirmAddressRouteDeps,
): void {
  addSchema(app, ConfirmAddressRequest, { token: exampleValues.freezeToken });
  addSchema(app, ConfirmedAddress, { object: 'confirmed_address', account: exampleValues.business });
  const schema = {
    operationId: 'confirmAddress',
    summary: 'Confirm an email address',
    description:
      'Confirms the contact or billing email of an account. Needs no session: the token comes from an email to that address, and is valid for 7 days. Until then, alerts go to the admins alone, and invoices to the admin who joined first. Safe to retry.',
    tags: ['Dashboard sign-in'],
    body: ConfirmAddressRequest.ref,
    response: { 200: ConfirmedAddress.ref, ...openBodyErrors('cross_site_request', 'invalid_code') },
  };
  const options = { schema, config: { access: 'anybody' as const }, onRequest: [limitOpen, refuseForeign] };
  app.post('/v1/auth/confirm-address', options, async (request) => {
    const { business } = await confirmAddress(deps, { token: request.body.token, requestId: request.id });
    return { object: 'confirmed_address' as const, account: business };
  });
}
