import type { Calls, Reading } from '../calls.ts';
import type { Schema } from '../described-api.ts';

export interface Balance extends Schema<'Balance'> {}

export interface BalanceResource extends Reading<Balance> {}

export default function createBalance({ reading }: Calls): BalanceResource {
  return reading('/v1/balance');
}
