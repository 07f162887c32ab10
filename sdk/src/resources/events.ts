import type { Calls, Listing } from '../calls.ts';
import type { QueryOf, Schema } from '../described-api.ts';
import type { CallOptions } from '../request.ts';

export interface PayoutEvent extends Schema<'PayoutEvent'> {}
export interface PayoutRequestEvent extends Schema<'PayoutRequestEvent'> {}
export interface DepositEvent extends Schema<'DepositEvent'> {}
export interface WalletEvent extends Schema<'WalletEvent'> {}
export interface InvoiceEvent extends Schema<'InvoiceEvent'> {}
export interface KeyEvent extends Schema<'KeyEvent'> {}
export interface MemberEvent extends Schema<'MemberEvent'> {}
export interface AccountEvent extends Schema<'AccountEvent'> {}

/** `type` says what `data` is. */
export type Event =
  | PayoutEvent
  | PayoutRequestEvent
  | DepositEvent
  | WalletEvent
  | InvoiceEvent
  | KeyEvent
  | MemberEvent
  | AccountEvent;
export type EventType = Event['type'];
export interface EventFilters extends QueryOf<'/v1/events'> {}

/** What happened, in order: ask for what comes after the last `sequence` that you have processed. */
export interface EventsResource extends Listing<Event, EventFilters> {
  get(id: string, options?: CallOptions): Promise<Event>;
}

export default function createEvents({ call, listing }: Calls): EventsResource {
  return {
    ...listing('/v1/events'),
    get: async (id, options) => (await call('get', '/v1/events/{id}', { ...options, path: { id } })).json,
  };
}
