import { Type } from 'typebox';
import { nullableText, nullableUri } from '../../http/schema/fields.ts';
import { patterns } from '../../http/schema/patterns.ts';
import type { LimitHook } from '../../http/limits/rate-limit.ts';
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

interface PublicDeps {
  calls: SingleCalls;
  limitOpen: LimitHook;
}

/** For the page on which a partner's recipients see who pays them: nobody needs a key for it. */
export function addPublicPartnerRoutes(app: Server, { calls, limitOpen }: PublicDeps): void {
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
    { schema, config: { access: 'anybody' }, onRequest: limitOpen },
    async (request) => {
      const partner = await findPublicPartner(calls, request.params.slug);
      if (partner === null) throw new ApiError({ code: 'not_found', message: 'No partner has this slug.' });
      const { slug, name, logoUrl, brandColor } = partner;
      return { slug, name, logo_url: logoUrl, brand_color: brandColor };
    },
  );
}
