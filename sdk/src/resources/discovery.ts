import type { Calls, Reading } from '../calls.ts';
import type { Schema } from '../described-api.ts';

export interface Discovery extends Schema<'Discovery'> {}

/** What answers, and in which version. */
export interface DiscoveryResource extends Reading<Discovery> {}

export default function createDiscovery({ reading }: Calls): DiscoveryResource {
  return reading('/v1');
}
