import type { Calls, Listing } from '../calls.ts';
import { confirmed, type ConfirmOptions } from '../confirming.ts';
import type { QueryOf, Schema } from '../described-api.ts';
import type { CallOptions } from '../request.ts';

export interface ApiKey extends Schema<'ApiKey'> {}
export interface ApiKeyCreated extends Schema<'ApiKeyCreated'> {}
export interface ApiKeyRevoked extends Schema<'ApiKeyRevoked'> {}
export interface ApiKeyLimitLifted extends Schema<'ApiKeyLimitLifted'> {}
export interface CreateKeyRequest extends Schema<'CreateKeyRequest'> {}
export interface RollKeyRequest extends Schema<'RollKeyRequest'> {}
export interface ApiKeyFilters extends QueryOf<'/v1/keys'> {}

/** The keys of both environments; a list never has their secrets. Making and revoking them is for an admin who is signed in. */
export interface KeysResource extends Listing<ApiKey, ApiKeyFilters> {
  /** The only answer that has the secret. A live key takes a code. */
  create(body: CreateKeyRequest, options?: ConfirmOptions): Promise<ApiKeyCreated>;
  /** Replaces the secret, and returns the new one once. The old one works until the overlap ends. A live key takes a code. */
  roll(id: string, body?: RollKeyRequest, options?: ConfirmOptions): Promise<ApiKeyCreated>;
  /** Lets a new live key pay up to its full limit. For another admin than the one who created it. Takes a code. */
  liftLimit(id: string, options?: ConfirmOptions): Promise<ApiKeyLimitLifted>;
  /** Safe to repeat. */
  revoke(id: string, options?: CallOptions): Promise<ApiKeyRevoked>;
}

export default function createKeys({ call, listing }: Calls): KeysResource {
  return {
    ...listing('/v1/keys'),
    create: async (body, options) => (await call('post', '/v1/keys', confirmed(body, options))).json,
    roll: async (id, body = {}, options) =>
      (await call('post', '/v1/keys/{id}/roll', { ...confirmed(body, options), path: { id } })).json,
    liftLimit: async (id, options) =>
      (await call('post', '/v1/keys/{id}/lift-limit', { ...confirmed({}, options), path: { id } })).json,
    revoke: async (id, options) =>
      (await call('delete', '/v1/keys/{id}', { ...options, path: { id }, effect: 'once' })).json,
  };
}
