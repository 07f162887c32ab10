// The API's own words for what it takes and gives, by name. An interface keeps its name in an editor; an alias would not.
import type { QueryOf, Schemas } from './described-api.ts';

export interface Balance extends Resource<'Balance'> {}
export interface CreatePayoutRequest extends Resource<'CreatePayoutRequest'> {}
export interface Discovery extends Resource<'Discovery'> {}
export interface Payout extends Resource<'Payout'> {}
export interface PayoutCreated extends Resource<'PayoutCreated'> {}
export interface Quote extends Resource<'Quote'> {}
export interface QuoteRequest extends Resource<'QuoteRequest'> {}

export type PayoutStatus = Payout['status'];
export interface PayoutFilters extends QueryOf<'/v1/payouts'> {}

type Resource<Name extends keyof Schemas> = Schemas[Name];
