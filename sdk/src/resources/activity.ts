import type { Calls, Listing } from '../calls.ts';
import type { QueryOf, Schema } from '../described-api.ts';

export interface ActivityEntry extends Schema<'ActivityEntry'> {}
export interface ActivityFilters extends QueryOf<'/v1/activity'> {}

/** What was asked of this account, by whom: the latest 200. */
export interface ActivityResource extends Listing<ActivityEntry, ActivityFilters> {}

export default function createActivity({ listing }: Calls): ActivityResource {
  return listing('/v1/activity');
}
