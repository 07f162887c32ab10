// The API's own words for what it takes and gives, by name. An interface keeps its name in an editor; an alias would not.
import type { QueryOf, Schemas } from './described-api.ts';

export interface Account extends Resource<'Account'> {}
export interface ActivityEntry extends Resource<'ActivityEntry'> {}
export interface ApiKey extends Resource<'ApiKey'> {}
export interface ApiKeyCreated extends Resource<'ApiKeyCreated'> {}
export interface ApiKeyRevoked extends Resource<'ApiKeyRevoked'> {}
export interface Balance extends Resource<'Balance'> {}
export interface ChangeMemberRequest extends Resource<'ChangeMemberRequest'> {}
export interface Compliance extends Resource<'Compliance'> {}
export interface CreateKeyRequest extends Resource<'CreateKeyRequest'> {}
export interface CreatePayoutRequest extends Resource<'CreatePayoutRequest'> {}
export interface Deposit extends Resource<'Deposit'> {}
export interface Discovery extends Resource<'Discovery'> {}
export interface EnterAccountRequest extends Resource<'EnterAccountRequest'> {}
export interface Funding extends Resource<'Funding'> {}
export interface Invoice extends Resource<'Invoice'> {}
export interface InvoiceItem extends Resource<'InvoiceItem'> {}
export interface InviteMemberRequest extends Resource<'InviteMemberRequest'> {}
export interface Member extends Resource<'Member'> {}
export interface MemberRemoved extends Resource<'MemberRemoved'> {}
export interface Movement extends Resource<'Movement'> {}
export interface OwnAccount extends Resource<'OwnAccount'> {}
export interface Payout extends Resource<'Payout'> {}
export interface PayoutCreated extends Resource<'PayoutCreated'> {}
export interface PayoutHistory extends Resource<'PayoutHistory'> {}
export interface PublicPartner extends Resource<'PublicPartner'> {}
export interface Quote extends Resource<'Quote'> {}
export interface QuoteRequest extends Resource<'QuoteRequest'> {}
export interface RecipientSummary extends Resource<'RecipientSummary'> {}
export interface Session extends Resource<'Session'> {}
export interface SessionEnded extends Resource<'SessionEnded'> {}
export interface SignInCode extends Resource<'SignInCode'> {}
export interface SignInCodeRequest extends Resource<'SignInCodeRequest'> {}
export interface SignInRequest extends Resource<'SignInRequest'> {}
export interface SignUpRequest extends Resource<'SignUpRequest'> {}
export interface Statement extends Resource<'Statement'> {}
export interface UpdateAccountRequest extends Resource<'UpdateAccountRequest'> {}
export interface Usage extends Resource<'Usage'> {}
export interface UsageDay extends Resource<'UsageDay'> {}
export interface UsageDayList extends Resource<'UsageDayList'> {}

export type DepositStatus = Deposit['status'];
export type PayoutStatus = Payout['status'];

export interface ActivityFilters extends QueryOf<'/v1/activity'> {}
export interface ApiKeyFilters extends QueryOf<'/v1/keys'> {}
export interface DepositFilters extends QueryOf<'/v1/deposits'> {}
export interface InvoiceFilters extends QueryOf<'/v1/invoices'> {}
export interface InvoiceItemFilters {
  /** The items of this line alone. */
  kind?: InvoiceItem['kind'] | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
}
export interface MemberFilters extends QueryOf<'/v1/members'> {}
export interface PayoutFilters extends QueryOf<'/v1/payouts'> {}
export interface RecipientFilters extends QueryOf<'/v1/recipients'> {}

type Resource<Name extends keyof Schemas> = Schemas[Name];
