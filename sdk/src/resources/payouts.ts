import type { Calls, Listing } from '../calls.ts';
import type { QueryOf, Schema } from '../described-api.ts';
import { withRequestId } from '../request-id.ts';
import type { CallOptions } from '../request.ts';

export interface CreatePayoutRequest extends Schema<'CreatePayoutRequest'> {}
export interface Payout extends Schema<'Payout'> {}
export interface PayoutCreated extends Schema<'PayoutCreated'> {}
export interface PayoutHistory extends Schema<'PayoutHistory'> {}
export interface PayoutRecipient extends Schema<'PayoutRecipient'> {}
export type PayoutStatus = Payout['status'];
export interface PayoutFilters extends QueryOf<'/v1/payouts'> {}

export interface CreatePayoutOptions extends CallOptions {
  /** Your own id of this payout, the same whenever you try it again: 8 to 100 letters, digits, `_`, `-`, `:`, `.` */
  idempotencyKey: string;
}

export interface GetPayoutOptions extends CallOptions {
  /** How many seconds to wait for another status, 20 at most. The answer can come earlier: check its `status`. */
  wait?: number | undefined;
}

export interface CreatedPayout {
  /** As it is now; with its quote, where it was made by this very call. */
  payout: PayoutCreated;
  /** Whether the key was used before, and this is the payout that it made then. */
  replayed: boolean;
}

export interface PayoutsResource extends Listing<Payout, PayoutFilters> {
  /** Pays a recipient. Repeated with the same key and body, it pays nothing twice. */
  create(body: CreatePayoutRequest, options: CreatePayoutOptions): Promise<CreatedPayout>;
  get(id: string, options?: GetPayoutOptions): Promise<Payout>;
  /** Every state with who and when, and what it did to your money. */
  getHistory(id: string, options?: CallOptions): Promise<PayoutHistory>;
  /** The recipient as ordered, with the last four digits of the account number. For admins who are signed in. */
  getRecipient(id: string, options?: CallOptions): Promise<PayoutRecipient>;
  /** Stops a payout, where the bank still can; `payout_not_cancellable` where it can't. Safe to repeat. */
  cancel(id: string, options?: CallOptions): Promise<Payout>;
}

export default function createPayouts({ call, listing }: Calls): PayoutsResource {
  return {
    ...listing('/v1/payouts'),
    async create(body, options) {
      const { json, status, headers } = await call('post', '/v1/payouts', { ...options, body });
      return withRequestId({ payout: json, replayed: status === 200 }, headers);
    },
    async get(id, { wait, ...options } = {}) {
      const waiting = wait === undefined ? {} : { query: { wait }, waitMs: wait * 1_000 };
      return (await call('get', '/v1/payouts/{id}', { ...options, ...waiting, path: { id } })).json;
    },
    getHistory: async (id, options) =>
      (await call('get', '/v1/payouts/{id}/history', { ...options, path: { id } })).json,
    getRecipient: async (id, options) =>
      (await call('get', '/v1/payouts/{id}/recipient', { ...options, path: { id } })).json,
    cancel: async (id, options) =>
      (await call('post', '/v1/payouts/{id}/cancel', { ...options, path: { id }, effect: 'once' })).json,
  };
}
