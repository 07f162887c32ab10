import { Type } from 'typebox';
import { build } from '../../platform/version.ts';
import type { LimitHook } from '../limits/rate-limit.ts';
import { errorResponses } from '../errors/responses.ts';
import { addSchema, nameSchema } from '../schema/schemas.ts';
import type { Server } from '../server.ts';

const Discovery = nameSchema(
  'Discovery',
  Type.Object(
    {
      name: Type.String({ description: 'The name of the service.' }),
      version: Type.String({ description: 'The release of the API description.' }),
      release: Type.String({ description: 'The release of the service that answered.' }),
      commit: Type.String({ description: 'The commit it was built from, or `development`.' }),
      docs: Type.String({ format: 'uri', description: 'The URL of this reference.' }),
      support_email: Type.String({ format: 'email', description: 'Write to this address for help.' }),
    },
    { description: 'The service at this address.' },
  ),
);

export const product = { name: 'Kelpie Payouts', version: '1.3.0' };

interface DiscoveryDeps {
  publicUrl: string;
  supportEmail: string;
  limitOpen: LimitHook;
}

export function addDiscoveryRoutes(app: Server, { publicUrl, supportEmail, limitOpen }: DiscoveryDeps): void {
  const addresses = { docs: `${publicUrl}/docs`, support_email: supportEmail };
  const body = { ...product, release: build.version, commit: build.commit, ...addresses };
  addSchema(app, Discovery, { ...body, release: '1.0.0', commit: '8f3c2a91d7e0b4c56f1a2d3e4b5c6d7e8f901234' });
  for (const [url, operationId, summary] of [
    ['/', 'getRoot', 'Retrieve service information'],
    ['/v1', 'getVersion', 'Retrieve version information'],
  ] as const) {
    const schema = {
      operationId,
      summary,
      description: 'Returns the name and version of the API, its reference and the support address.',
      tags: ['Discovery'],
      response: { 200: Discovery.ref, ...errorResponses('invalid_request', 'rate_limited') },
    };
    app.get(url, { schema, config: { access: 'anybody' }, onRequest: limitOpen }, async () => body);
  }
}
