import type { Transaction } from '../database.ts';
import type { Fields } from '../http/fields.ts';
import { isId } from '../ids.ts';

interface ListOf {
  table:
    | 'deposits'
    | 'external_accounts'
    | 'funds_requests'
    | 'liquidation_addresses'
    | 'transfers'
    | 'virtual_account_events'
    | 'virtual_accounts'
    | 'wallet_movements'
    | 'webhook_endpoints';
  /** Which rows of the table are in the list at all; $1 is `owner`. */
  where: string;
  /** Which of these are shown. The list goes on after any item of it, shown or not. */
  narrowedTo?: string;
  owner: string;
}

const defaultLimit = 10;
const maxLimit = 100;

/** The place of an item in its list, by its id. */
async function findPlace(tx: Transaction, list: ListOf, query: Fields, key: string): Promise<bigint | null> {
  const id = query.optionalText(key);
  if (id === null) return null;
  const { rows } = isId(id)
    ? await tx.query<{ seq: bigint }>(`select seq from ${list.table} where ${list.where} and id = $2`, [list.owner, id])
    : { rows: [] };
  const [item] = rows;
  if (item === undefined) throw query.apiError(key, 'the id of an item in this list');
  return item.seq;
}

/** One page of a list, newest first. `starting_after` goes on towards older items, `ending_before` back to newer ones. */
export async function listPage<Row extends object>(tx: Transaction, list: ListOf, query: Fields): Promise<Row[]> {
  const limit = query.optionalWholeNumber('limit', { min: 1, max: maxLimit }) ?? defaultLimit;
  const olderThan = await findPlace(tx, list, query, 'starting_after');
  const newerThan = await findPlace(tx, list, query, 'ending_before');
  // The page before an item is the one that touches it, so it is read from there upwards and then turned round.
  const upwards = newerThan !== null && olderThan === null;
  const { rows } = await tx.query<Row>(
    `select * from ${list.table}
     where ${list.where} and ${list.narrowedTo ?? 'true'} and ($2::bigint is null or seq < $2) and ($3::bigint is null or seq > $3)
     order by seq ${upwards ? 'asc' : 'desc'} limit $4`,
    [list.owner, olderThan, newerThan, limit],
  );
  return upwards ? rows.toReversed() : rows;
}

export function listBody(data: readonly object[]): { count: number; data: readonly object[] } {
  return { count: data.length, data };
}
