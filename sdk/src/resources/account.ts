import type { Calls, Reading } from '../calls.ts';
import type { Schema } from '../described-api.ts';
import type { CallOptions } from '../request.ts';

export interface Account extends Schema<'Account'> {}
export interface UpdateAccountRequest extends Schema<'UpdateAccountRequest'> {}

export interface AccountResource extends Reading<Account> {
  /** For an admin who is signed in. What is left out stays as it is; null takes it away. */
  update(body: UpdateAccountRequest, options?: CallOptions): Promise<Account>;
}

export default function createAccount({ call, reading }: Calls): AccountResource {
  return {
    ...reading('/v1/account'),
    update: async (body, options) => (await call('patch', '/v1/account', { ...options, body })).json,
  };
}
