import type { Calls, Listing } from '../calls.ts';
import { confirmed, type ConfirmOptions } from '../confirming.ts';
import type { QueryOf, Schema } from '../described-api.ts';
import type { CallOptions } from '../request.ts';

export interface PayoutRequest extends Schema<'PayoutRequest'> {}
export interface PayoutRequestFilters extends QueryOf<'/v1/payout-requests'> {}

/** Payouts that another admin has to approve. Deciding is for an admin who is signed in. */
export interface PayoutRequestsResource extends Listing<PayoutRequest, PayoutRequestFilters> {
  get(id: string, options?: CallOptions): Promise<PayoutRequest>;
  /** Creates the payout, or fails as creating it would; then the request stays open. In live it takes a code. Safe to repeat. */
  approve(id: string, options?: ConfirmOptions): Promise<PayoutRequest>;
  /** Final for its Idempotency-Key. Safe to repeat. */
  decline(id: string, options?: CallOptions): Promise<PayoutRequest>;
}

export default function createPayoutRequests({ call, listing }: Calls): PayoutRequestsResource {
  return {
    ...listing('/v1/payout-requests'),
    get: async (id, options) => (await call('get', '/v1/payout-requests/{id}', { ...options, path: { id } })).json,
    approve: async (id, options) =>
      (await call('post', '/v1/payout-requests/{id}/approve', { ...confirmed({}, options), path: { id } })).json,
    decline: async (id, options) =>
      (await call('post', '/v1/payout-requests/{id}/decline', { ...options, path: { id }, effect: 'once' })).json,
  };
}
