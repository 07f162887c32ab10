import { Type } from 'typebox';
import { originOf } from '../../http/auth/origin.ts';
import { exampleValues } from '../../http/schema/example-values.ts';
import { openBodyErrors } from '../../http/errors/responses.ts';
import type { LimitHook } from '../../http/limits/rate-limit.ts';
import { addSchema, nameSchema } from '../../http/schema/schemas.ts';
import type { Server } from '../../http/server.ts';
import { freezeLive, type FreezeDeps } from '../freezing/freeze-live.ts';

const FreezeRequest = nameSchema(
  'FreezeRequest',
  Type.Object(
    {
      token: Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'The token from the link "This wasn\'t me" in an email: what follows the `#`.',
      }),
    },
    { additionalProperties: false, description: 'The link that an admin received.' },
  ),
);

const Freeze = nameSchema(
  'Freeze',
  Type.Object(
    {
      object: Type.Literal('freeze', { description: 'Always `freeze`.' }),
      account: Type.String({ description: 'The name of the business.' }),
      frozen: Type.Literal(true, { description: 'Always `true`: live payouts are stopped.' }),
    },
    { description: 'Live payouts of the account are frozen.' },
  ),
);

interface FreezeRouteDeps extends FreezeDeps {
  limitOpen: LimitHook;
  refuseForeign: LimitHook;
}

export function addFreezeRoutes(app: Server, { limitOpen, refuseForeign, ...deps }: FreezeRouteDeps): void {
  addSchema(app, FreezeRequest, { token: exampleValues.freezeToken });
  addSchema(app, Freeze, { object: 'freeze', account: exampleValues.business, frozen: true });
  const schema = {
    operationId: 'freezeAccount',
    summary: 'Freeze live payouts',
    description:
      'Stops live payouts at once: new ones are refused, and waiting ones are not sent. Needs no session: the token comes from an email to an admin, is valid for 7 days, and works while that person is an admin. We email every admin. Only support lifts it. Safe to retry.',
    tags: ['Dashboard sign-in'],
    body: FreezeRequest.ref,
    response: { 200: Freeze.ref, ...openBodyErrors('cross_site_request', 'invalid_code', 'api_key_required') },
  };
  const options = { schema, config: { access: 'anybody' as const }, onRequest: [limitOpen, refuseForeign] };
  app.post('/v1/auth/freeze', options, async (request) => {
    const { token } = request.body;
    const { business } = await freezeLive(deps, { token, requestId: request.id, origin: originOf(request) });
    return { object: 'freeze' as const, account: business, frozen: true as const };
  });
}
