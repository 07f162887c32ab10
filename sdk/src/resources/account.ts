import type { Calls, Reading } from '../calls.ts';
import { confirmed, type ConfirmOptions } from '../confirming.ts';
import type { Schema } from '../described-api.ts';

export interface Account extends Schema<'Account'> {}
export interface UpdateAccountRequest extends Schema<'UpdateAccountRequest'> {}

export interface AccountResource extends Reading<Account> {
  /** For an admin who is signed in. What is left out stays as it is; null takes it away. An email address takes a code. */
  update(body: UpdateAccountRequest, options?: ConfirmOptions): Promise<Account>;
}

export default function createAccount({ call, reading }: Calls): AccountResource {
  return {
    ...reading('/v1/account'),
    update: async (body, options) => (await call('patch', '/v1/account', confirmed(body, options))).json,
  };
}
