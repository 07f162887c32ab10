import { Type } from 'typebox';
import { nullableText, nullableUri } from '../../http/schema/fields.ts';
import { patterns } from '../../http/schema/patterns.ts';
import type { Authentication } from '../../http/auth/authentication.ts';
import { openErrors } from '../../http/errors/responses.ts';
import { nameSchema } from '../../http/schema/schemas.ts';
import type { Server } from '../../http/server.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import { ApiError } from '../../platform/api-error.ts';
import { findPublicPartner } from '../store.ts';

const PublicPartner = nameSchema(
  'PublicPartner',
  Type.Object(
    { slug: Type.String(), name: Type.String(), logo_url: nullableUri(), brand_color: nullableText() },
    { description: 'What anybody may know of a business that pays through us.' },
  ),
);

const PartnerPath = Type.Object({ slug: Type.String({ pattern: patterns.slug }) });

interface PublicDeps extends Pick<Authentication, 'recogniseKey'> {
  calls: SingleCalls;
}

/** For the page on which a partner's recipients see who pays them: nobody needs a key for it. */
export function addPublicPartnerRoutes(app: Server, { calls, recogniseKey }: PublicDeps): void {
  app.addSchema(PublicPartner.definition);
  const schema = {
    operationId: 'getPublicPartner',
    summary: 'A partner by its short name',
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
