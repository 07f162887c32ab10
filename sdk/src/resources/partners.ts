import type { Calls } from '../calls.ts';
import type { Schema } from '../described-api.ts';
import type { CallOptions } from '../request.ts';

export interface PublicPartner extends Schema<'PublicPartner'> {}

export interface PartnersResource {
  /** What anybody may know of a partner. */
  getPublic(slug: string, options?: CallOptions): Promise<PublicPartner>;
}

export default function createPartners({ call }: Calls): PartnersResource {
  return {
    getPublic: async (slug, options) =>
      (await call('get', '/v1/public/partners/{slug}', { ...options, path: { slug } })).json,
  };
}
