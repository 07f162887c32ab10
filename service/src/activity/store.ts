import { arrayLiteral } from '../platform/database/array-literal.ts';
import type { Call, SingleCalls } from '../platform/database/single-call.ts';
import type { PartnerContext } from '../platform/database/transaction.ts';

/** A request, and how it was answered. */
export interface ActivityRow extends PartnerContext {
  /** A UUIDv7: the instant in it is when the request came. */
  id: string;
  action: string;
  /** Null where nobody was there to be answered any more. */
  status: number | null;
  by: string;
  /** What it was about: an id, or the code of an error. */
  detail: string | null;
}

const recordCall: Call = {
  name: 'record_activity',
  text: 'select from kelpie.record_activity($1, $2, $3, $4, $5, $6, $7)',
};

/** Safe to repeat. */
export async function insertActivity(calls: SingleCalls, rows: readonly ActivityRow[]): Promise<void> {
  await calls.call(recordCall, [
    arrayLiteral(rows.map(({ id }) => id)),
    arrayLiteral(rows.map(({ partnerId }) => partnerId)),
    arrayLiteral(rows.map(({ environment }) => environment)),
    arrayLiteral(rows.map(({ action }) => action)),
    arrayLiteral(rows.map(({ status }) => status)),
    arrayLiteral(rows.map(({ by }) => by)),
    arrayLiteral(rows.map(({ detail }) => detail)),
  ]);
}

export interface ListedRow {
  id: string;
  environment: PartnerContext['environment'] | null;
  action: string;
  status: number | null;
  by: string;
  detail: string | null;
}

const listCall: Call = { name: 'list_activity', text: 'select * from kelpie.list_activity($1, $2, $3)' };

/** The newest first. */
export async function listActivity(calls: SingleCalls, of: PartnerContext, limit: number): Promise<ListedRow[]> {
  return calls.call<ListedRow>(listCall, [of.partnerId, of.environment, limit]);
}
