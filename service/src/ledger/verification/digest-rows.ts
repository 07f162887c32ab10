import { createHash } from 'node:crypto';
import type { Transaction } from '../../platform/database/transaction.ts';
import type { IdSpan } from './id-span.ts';

/** What rows were there: how many, and a SHA-256 of all of them in order. */
export interface RowsDigest {
  rows: number;
  digest: string;
}

/**
 * Digests rows that never change. The database makes one digest of about a minute of them (65.536 s: the first four bytes of
 * a UUIDv7), so that no text grows with the day, and this makes one of those. `rowsSql` selects `id`, which decides the
 * minute, and `line` and `row`, in the range of ids from $1 to before $2.
 */
export async function digestRows(tx: Transaction, rowsSql: string, { first, before }: IdSpan): Promise<RowsDigest> {
  return digestOfMinutes(await digestMinutes(tx, rowsSql, [first, before]));
}

export interface MinuteDigest {
  rows: string;
  digest: string;
}

/** The first part of it, for rows that come some minutes at a time; the values of the statement are the caller's. */
export async function digestMinutes(
  tx: Transaction,
  rowsSql: string,
  values: readonly unknown[],
): Promise<MinuteDigest[]> {
  const { rows } = await tx.query<MinuteDigest>(
    `select count(*) as rows, encode(sha256(convert_to(string_agg(row, e'\\n' order by id, line), 'UTF8')), 'hex') as digest
     from (${rowsSql}) as listed
     group by substr(uuid_send(id), 1, 4) order by substr(uuid_send(id), 1, 4)`,
    values,
  );
  return rows;
}

export function digestOfMinutes(minutes: readonly MinuteDigest[]): RowsDigest {
  const hash = createHash('sha256');
  for (const minute of minutes) hash.update(`${minute.rows} ${minute.digest}\n`);
  return { rows: minutes.reduce((sum, minute) => sum + Number(minute.rows), 0), digest: hash.digest('hex') };
}

const entriesSql = `
  select transfer_id as id, line,
    row(transfer_id, line, partner_id, environment, account, amount, reason, cause_id, wallet_balance_after, wallet_version)::text as row
  from kelpie.ledger_entries where transfer_id >= $1 and transfer_id < $2`;

export async function digestEntries(tx: Transaction, span: IdSpan): Promise<RowsDigest> {
  return digestRows(tx, entriesSql, span);
}
