import type { Calls } from '../calls.ts';
import { confirmed, confirmedAlone, type ConfirmOptions } from '../confirming.ts';
import type { Schema } from '../described-api.ts';
import type { CallOptions } from '../request.ts';

export interface AddPasskeyRequest extends Schema<'AddPasskeyRequest'> {}
export interface Passkey extends Schema<'Passkey'> {}
export interface PasskeyOptions extends Schema<'PasskeyOptions'> {}
export interface PasskeyProof extends Schema<'PasskeyProof'> {}
export interface PasskeyRemoved extends Schema<'PasskeyRemoved'> {}
export interface PasskeyRule extends Schema<'PasskeyRule'> {}
export interface SignedChallenge extends Schema<'SignedChallenge'> {}

/** For people, in a browser: passkeys of whoever is signed in, and whether the account requires them. */
export interface PasskeysResource {
  listOwn(options?: CallOptions): Promise<Passkey[]>;
  /** What to pass to `navigator.credentials.create`. Takes a code for the first passkey, and a passkey for a further one. */
  begin(options?: ConfirmOptions): Promise<PasskeyOptions>;
  add(body: AddPasskeyRequest, options?: CallOptions): Promise<Passkey>;
  rename(id: string, name: string, options?: CallOptions): Promise<Passkey>;
  /** Takes a passkey, which can be this one. */
  remove(id: string, options?: ConfirmOptions): Promise<PasskeyRemoved>;
  /** Proves what `confirmation_required` asked for with `details.passkey`. Then repeat that call. */
  confirm(body: SignedChallenge, options?: CallOptions): Promise<PasskeyProof>;
  getRule(options?: CallOptions): Promise<PasskeyRule>;
  /** Takes a passkey. */
  setRule(required: boolean, options?: ConfirmOptions): Promise<PasskeyRule>;
}

export default function createPasskeys({ call }: Calls): PasskeysResource {
  return {
    listOwn: async (options) => (await call('get', '/v1/passkeys', { ...options })).json.data,
    begin: async (options) => (await call('post', '/v1/passkey-options', { ...confirmedAlone(options) })).json,
    add: async (body, options) => (await call('post', '/v1/passkeys', { ...options, body })).json,
    rename: async (id, name, options) =>
      (await call('patch', '/v1/passkeys/{id}', { ...options, path: { id }, body: { name } })).json,
    remove: async (id, options) =>
      (await call('delete', '/v1/passkeys/{id}', { ...confirmedAlone(options), path: { id } })).json,
    confirm: async (body, options) => (await call('post', '/v1/passkey-proofs', { ...options, body })).json,
    getRule: async (options) => (await call('get', '/v1/passkey-rule', { ...options })).json,
    setRule: async (required, options) =>
      (await call('patch', '/v1/passkey-rule', confirmed({ required }, options))).json,
  };
}
