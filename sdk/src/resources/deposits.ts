import type { Calls, Listing } from '../calls.ts';
import type { QueryOf, Schema } from '../described-api.ts';

export interface Deposit extends Schema<'Deposit'> {}
export type DepositStatus = Deposit['status'];
export interface DepositFilters extends QueryOf<'/v1/deposits'> {}

/** What was sent to top up the wallet. */
export interface DepositsResource extends Listing<Deposit, DepositFilters> {}

export default function createDeposits({ listing }: Calls): DepositsResource {
  return listing('/v1/deposits');
}
