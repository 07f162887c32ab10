import type { Calls, Reading } from '../calls.ts';
import type { Schema } from '../described-api.ts';

export interface Funding extends Schema<'Funding'> {}

/** Where to send a top-up. */
export interface FundingResource extends Reading<Funding> {}

export default function createFunding({ reading }: Calls): FundingResource {
  return reading('/v1/funding');
}
