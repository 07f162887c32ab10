import type { Calls } from '../calls.ts';
import type { Schema } from '../described-api.ts';
import type { CallOptions } from '../request.ts';
import type { SignInCode } from './auth.ts';

export interface SignUpRequest extends Schema<'SignUpRequest'> {}

/** Has a code mailed with which the account is opened: by `auth.signIn`. */
export type SignUp = (body: SignUpRequest, options?: CallOptions) => Promise<SignInCode>;

export default function createSignUp({ call }: Calls): SignUp {
  return async (body, options) => (await call('post', '/v1/signup', { ...options, body })).json;
}
