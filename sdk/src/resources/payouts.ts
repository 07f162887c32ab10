import type { Calls, Listing } from '../calls.ts';
import type { QueryOf, Schema } from '../described-api.ts';
import type { Download } from '../download.ts';
import { withRequestId } from '../request-id.ts';
import type { CallOptions } from '../request.ts';
import type { WaitedPayout, WaitUntil } from '../wait-for-payout.ts';

export interface CreatePayoutRequest extends Schema<'CreatePayoutRequest'> {}
export interface Payout extends Schema<'Payout'> {}
export interface PayoutCreated extends Schema<'PayoutCreated'> {}
export interface PayoutHistory extends Schema<'PayoutHistory'> {}
export interface PayoutRecipient extends Schema<'PayoutRecipient'> {}
export type PayoutStatus = Payout['status'];
export interface PayoutFilters extends QueryOf<'/v1/payouts'> {}
export interface PayoutCsvFilters extends Omit<PayoutFilters, 'limit' | 'cursor' | 'idempotency_key'> {}

export interface CreatePayoutOptions extends CallOptions {
  /** Your own id of this payout, the same whenever you try it again: 8 to 100 letters, digits, `_`, `-`, `:`, `.` */
  idempotencyKey: string;
}

export interface CreateAndWaitOptions<Until extends WaitUntil = 'completed'> extends CreatePayoutOptions {
  /** `completed`, by default: until it arrived. `processing`: until the bank accepted it. Either way until it failed or was returned. */
  until?: Until | undefined;
  /** How long the whole call takes at most: 60 seconds. */
  deadlineMs?: number | undefined;
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
  /**
   * Pays a recipient, and waits for the result: check its `status`, as it may also have failed. Throws a KelpieWaitTimeout at the
   * deadline, with the payout as it is then. Repeated with the same key and body, it goes on waiting for the same payout.
   */
  createAndWait<Until extends WaitUntil = 'completed'>(
    body: CreatePayoutRequest,
    options: CreateAndWaitOptions<Until>,
  ): Promise<WaitedPayout<Until>>;
  get(id: string, options?: GetPayoutOptions): Promise<Payout>;
  /** Every state with who and when, and what it did to your money. */
  getHistory(id: string, options?: CallOptions): Promise<PayoutHistory>;
  /** The recipient as ordered, with the last four digits of the account number. For admins who are signed in. */
  getRecipient(id: string, options?: CallOptions): Promise<PayoutRecipient>;
  /** Stops a payout, where the bank still can; `payout_not_cancellable` where it can't. Safe to repeat. */
  cancel(id: string, options?: CallOptions): Promise<Payout>;
  /** All payouts that match, as CSV. */
  downloadCsv(filters?: PayoutCsvFilters, options?: CallOptions): Promise<Download>;
}

const defaultWaitMs = 60_000;

export default function createPayouts({ call, listing, download }: Calls): PayoutsResource {
  const create: PayoutsResource['create'] = async (body, options) => {
    const { json, status, headers } = await call('post', '/v1/payouts', { ...options, body });
    return withRequestId({ payout: json, replayed: status === 200 }, headers);
  };
  const get: PayoutsResource['get'] = async (id, { wait, ...options } = {}) => {
    const waiting = wait === undefined ? {} : { query: { wait }, waitMs: wait * 1_000 };
    return (await call('get', '/v1/payouts/{id}', { ...options, ...waiting, path: { id } })).json;
  };
  return {
    ...listing('/v1/payouts'),
    create,
    async createAndWait<Until extends WaitUntil>(body: CreatePayoutRequest, options: CreateAndWaitOptions<Until>) {
      const { until, idempotencyKey, deadlineMs = defaultWaitMs, ...rest } = options;
      const endsAtMs = performance.now() + deadlineMs;
      // Loaded when it is used, and before anything is paid: a page may have lost its line since.
      const { waitForPayout } = await import('../wait-for-payout.ts');
      const { payout } = await create(body, { ...rest, idempotencyKey, deadlineMs });
      return waitForPayout(payout, { until: until ?? 'completed', endsAtMs, options: rest, get });
    },
    get,
    getHistory: async (id, options) =>
      (await call('get', '/v1/payouts/{id}/history', { ...options, path: { id } })).json,
    getRecipient: async (id, options) =>
      (await call('get', '/v1/payouts/{id}/recipient', { ...options, path: { id } })).json,
    cancel: async (id, options) =>
      (await call('post', '/v1/payouts/{id}/cancel', { ...options, path: { id }, effect: 'once' })).json,
    downloadCsv: async (filters, options) => download('/v1/payouts.csv', { ...options, query: { ...filters } }),
  };
}
