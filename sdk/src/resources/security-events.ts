import type { Calls, Listing } from '../calls.ts';
import type { QueryOf, Schema } from '../described-api.ts';

export interface SecurityEvent extends Schema<'SecurityEvent'> {}
export interface SecurityEventFilters extends QueryOf<'/v1/security-events'> {}

/** Sign-ins, and changes of keys, members, limits, sessions and addresses: all of them, unlike the activity. */
export interface SecurityEventsResource extends Listing<SecurityEvent, SecurityEventFilters> {}

export default function createSecurityEvents({ listing }: Calls): SecurityEventsResource {
  return listing('/v1/security-events');
}
