import type { Calls, Listing } from '../calls.ts';
import type { QueryOf, Schema } from '../described-api.ts';

export interface RecipientSummary extends Schema<'RecipientSummary'> {}
export interface RecipientFilters extends QueryOf<'/v1/recipients'> {}

/** Who was paid of late. */
export interface RecipientsResource extends Listing<RecipientSummary, RecipientFilters> {}

export default function createRecipients({ listing }: Calls): RecipientsResource {
  return listing('/v1/recipients');
}
