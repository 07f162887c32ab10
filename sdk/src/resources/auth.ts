import type { Calls } from '../calls.ts';
import { confirmedAlone, type ConfirmOptions } from '../confirming.ts';
import type { Schema } from '../described-api.ts';
import type { CallOptions } from '../request.ts';
import type { PasskeyOptions } from './passkeys.ts';

/** `me`: your own in every account. `everyone`: all of this account. Never the one that asks. */
export interface EndSessionsQuery {
  of?: 'me' | 'everyone';
}
export interface ConfirmAddressRequest extends Schema<'ConfirmAddressRequest'> {}
export interface ConfirmedAddress extends Schema<'ConfirmedAddress'> {}
export interface EnterAccountRequest extends Schema<'EnterAccountRequest'> {}
export interface Freeze extends Schema<'Freeze'> {}
export interface FreezeRequest extends Schema<'FreezeRequest'> {}
export interface OwnAccount extends Schema<'OwnAccount'> {}
export interface PasskeyStep extends Schema<'PasskeyStep'> {}
export interface ProveSessionRequest extends Schema<'ProveSessionRequest'> {}
export interface Session extends Schema<'Session'> {}
export interface SessionEnded extends Schema<'SessionEnded'> {}
export interface SessionEntry extends Schema<'SessionEntry'> {}
export interface SessionEntryEnded extends Schema<'SessionEntryEnded'> {}
export interface SessionsEnded extends Schema<'SessionsEnded'> {}
export interface SignInCode extends Schema<'SignInCode'> {}
export interface SignInCodeRequest extends Schema<'SignInCodeRequest'> {}
export interface SignInRequest extends Schema<'SignInRequest'> {}

/** For people, in a browser: the session is a cookie, which no program sees. */
export interface AuthResource {
  /** Has a code mailed to a member. The answer is the same for an address that is nobody's. */
  requestCode(body: SignInCodeRequest, options?: CallOptions): Promise<SignInCode>;
  /**
   * Trades a code for a session; `invalid_code` where it is wrong, over or used. A `passkey_step` where the person has to use
   * a passkey first.
   */
  signIn(body: SignInRequest, options?: CallOptions): Promise<Session | PasskeyStep>;
  /** Who is signed in. */
  getSession(options?: CallOptions): Promise<Session>;
  /** The accounts that whoever is signed in is a member of. */
  listAccounts(options?: CallOptions): Promise<OwnAccount[]>;
  /** Goes to another of them, without another code: the session becomes one of that account. */
  switchAccount(body: EnterAccountRequest, options?: CallOptions): Promise<Session | PasskeyStep>;
  /** After a `passkey_step`: what the browser has to do with a passkey before the session can be used. */
  beginPasskeyStep(options?: CallOptions): Promise<PasskeyOptions>;
  /** Uses the passkey, or adds the first one where the account requires it. */
  completePasskeyStep(body: ProveSessionRequest, options?: CallOptions): Promise<Session>;
  signOut(options?: CallOptions): Promise<SessionEnded>;
  /** The sessions of this account: everyone's for an admin, their own for a viewer. */
  listSessions(options?: CallOptions): Promise<SessionEntry[]>;
  /** Signs one session out. Another person's takes a code. */
  endSession(id: string, options?: ConfirmOptions): Promise<SessionEntryEnded>;
  /** All but this one: your own in every account, or everyone's of this account, which takes a code. */
  endSessions(which: EndSessionsQuery, options?: ConfirmOptions): Promise<SessionsEnded>;
  /** Stops live payouts with the token of the link in an email. Needs no session. */
  freeze(body: FreezeRequest, options?: CallOptions): Promise<Freeze>;
  /** Confirms a contact or billing address with the token of the link in an email. Needs no session. */
  confirmAddress(body: ConfirmAddressRequest, options?: CallOptions): Promise<ConfirmedAddress>;
}

export default function createAuth({ call }: Calls): AuthResource {
  return {
    requestCode: async (body, options) => (await call('post', '/v1/auth/code', { ...options, body })).json,
    signIn: async (body, options) => (await call('post', '/v1/auth/session', { ...options, body })).json,
    getSession: async (options) => (await call('get', '/v1/auth/session', { ...options })).json,
    listAccounts: async (options) => (await call('get', '/v1/auth/accounts', { ...options })).json.data,
    switchAccount: async (body, options) => (await call('patch', '/v1/auth/session', { ...options, body })).json,
    beginPasskeyStep: async (options) => (await call('post', '/v1/auth/passkey/options', { ...options })).json,
    completePasskeyStep: async (body, options) => (await call('post', '/v1/auth/passkey', { ...options, body })).json,
    listSessions: async (options) => (await call('get', '/v1/auth/sessions', { ...options })).json.data,
    endSession: async (id, options) =>
      (await call('delete', '/v1/auth/sessions/{id}', { ...confirmedAlone(options), path: { id } })).json,
    endSessions: async (query, options) =>
      (await call('delete', '/v1/auth/sessions', { ...confirmedAlone(options), query })).json,
    freeze: async (body, options) => (await call('post', '/v1/auth/freeze', { ...options, body })).json,
    confirmAddress: async (body, options) =>
      (await call('post', '/v1/auth/confirm-address', { ...options, body })).json,
    signOut: async (options) => (await call('delete', '/v1/auth/session', { ...options })).json,
  };
}
