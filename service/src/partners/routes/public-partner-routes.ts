import { Type } from 'typebox';
import { exampleValues } from '../../http/schema/example-values.ts';
import { nullableText, nullableUri } from '../../http/schema/fields.ts';
import { patterns } from '../../http/schema/patterns.ts';
import type { Authentication } from '../../http/auth/authentication.ts';
import { openErrors } from '../../http/errors/responses.ts';
import { addSchema, nameSchema } from '../../http/schema/schemas.ts';
import type { Server } from '../../http/server.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import { ApiError } from '../../platform/api-error.ts';
import { findPublicPartner } from '../store.ts';

const PublicPartner = nameSchema(
  'PublicPartner',
  Type.Object(
    {
      slug: Type.String({ description: 'The short name of the business.' }),
      name: Type.String({ description: 'The name of the business.' }),
      logo_url: nullableUri({ description: 'The URL of its logo.' }),
      brand_color: nullableText({ description: 'Its brand colour, as hex.' }),
    },
    { description: 'Public information about a business that pays through Kelpie.' },
  ),
);

const PartnerPath = Type.Object({
  slug: Type.String({
    pattern: patterns.slug,
    description: 'The short name of the business.',
    examples: [exampleValues.slug],
  }),
});

interface PublicDeps extends Pick<Authentication, 'recogniseKey'> {
  calls: SingleCalls;
}

/** For the page on which a partner's recipients see who pays them: nobody needs a key for it. */
export function addPublicPartnerRoutes(app: Server, { calls, recogniseKey }: PublicDeps): void {
  addSchema(app, PublicPartner, {
    slug: exampleValues.slug,
    name: exampleValues.business,
    logo_url: 'https://harbourgoods.example/logo.svg',
    brand_color: '#0f6e6e',
  });
  const schema = {
    operationId: 'getPublicPartner',
    summary: 'Retrieve a partner',
    description: 'Returns what recipients may know about the business that pays them. Needs no API key.',
    tags: ['Discovery'],
    params: PartnerPath,
    response: { 200: PublicPartner.ref, ...openErrors('not_found') },
  };
  app.get(
    '/v1/public/partners/:slug',
    { schema, config: { access: 'anybody', refusedAction: 'public_partner.get' }, onRequest: recogniseKey },
    async (request) => {
      const partner = await findPublicPartner(calls, request.params.slug);
      if (partner === null) throw new ApiError({ code: 'not_found', message: 'No partner has this slug.' });
      const { slug, name, logoUrl, brandColor } = partner;
      return { slug, name, logo_url: logoUrl, brand_color: brandColor };
    },
  );
}
