import type { Calls, Reading } from '../calls.ts';
import type { Schema } from '../described-api.ts';

export interface Limits extends Schema<'Limits'> {}

/** How much can be paid per day, London time, and how much of it is left. */
export interface LimitsResource extends Reading<Limits> {}

export default function createLimits({ reading }: Calls): LimitsResource {
  return reading('/v1/limits');
}
