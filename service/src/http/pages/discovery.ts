import { Type } from 'typebox';
import type { LimitHook } from '../limits/rate-limit.ts';
import { errorResponses } from '../errors/responses.ts';
import { nameSchema } from '../schema/schemas.ts';
import type { Server } from '../server.ts';

const Discovery = nameSchema(
  'Discovery',
  Type.Object(
    {
      name: Type.String(),
      version: Type.String(),
      docs: Type.String({ format: 'uri' }),
      support_email: Type.String({ format: 'email', description: 'Write to this address for help.' }),
    },
    { description: 'What answers at this address, and where it is described.' },
  ),
);

export const product = { name: 'Kelpie Payouts', version: '1.3.0' };

interface DiscoveryDeps {
  publicUrl: string;
  supportEmail: string;
  limitOpen: LimitHook;
}

export function addDiscoveryRoutes(app: Server, { publicUrl, supportEmail, limitOpen }: DiscoveryDeps): void {
  app.addSchema(Discovery.definition);
  for (const [url, operationId, summary] of [
    ['/', 'getRoot', 'What this service is'],
    ['/v1', 'getVersion', 'What this version is'],
  ] as const) {
    const schema = {
      operationId,
      summary,
      tags: ['Discovery'],
      response: { 200: Discovery.ref, ...errorResponses('invalid_request', 'rate_limited') },
    };
    app.get(url, { schema, config: { access: 'anybody' }, onRequest: limitOpen }, async () => ({
      ...product,
      docs: `${publicUrl}/docs`,
      support_email: supportEmail,
    }));
  }
}
