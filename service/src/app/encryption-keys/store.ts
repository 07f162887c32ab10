import type { Transaction } from '../../platform/database/transaction.ts';
import type { Place } from '../../platform/encryption.ts';

/** How many values a column has under one key. */
export interface KeyCount {
  table: string;
  column: string;
  version: number;
  values: number;
}

/** Reads every row of the tables with encrypted columns. */
export async function countValues(tx: Transaction): Promise<KeyCount[]> {
  const { rows } = await tx.query<KeyCount>(
    `select table_name as table, column_name as column, key_version as version, encrypted_values::int as values
     from kelpie.count_encrypted_values()`,
  );
  return rows;
}

/** How many working API keys have the digest of their secret under each pepper. */
export interface PepperCount {
  version: number;
  keys: number;
}

export async function countKeysByPepper(tx: Transaction, at: Date): Promise<PepperCount[]> {
  const { rows } = await tx.query<PepperCount>(
    `select pepper_version as version, count(*)::int as keys from kelpie.api_keys
     where revoked_at is null and (expires_at is null or expires_at > $1) group by 1 order by 1`,
    [at],
  );
  return rows;
}

/** The payout that was created last, of those whose recipient is known. Runs as kelpie_reader. */
export async function findNewestRecipient(tx: Transaction): Promise<{ id: string; encrypted: Buffer } | null> {
  const { rows } = await tx.query<{ id: string; encrypted: Buffer }>(
    `select id, recipient_encrypted as encrypted from kelpie.payouts
     where recipient_encrypted is not null order by id desc limit 1`,
  );
  return rows[0] ?? null;
}

export interface EncryptedColumn {
  table: string;
  column: string;
  /** What its values are bound to, besides their row. */
  placeTable: string;
  placeColumn: string;
}

export async function listColumns(tx: Transaction): Promise<EncryptedColumn[]> {
  const { rows } = await tx.query<EncryptedColumn>(
    `select table_name as table, column_name as column, place_table as "placeTable", place_column as "placeColumn"
     from kelpie.encrypted_columns()`,
  );
  return rows;
}

export interface ListedRow {
  key: string;
  place: Place;
  /** Null where the row has no value, or has it under the key that shall stay. */
  encrypted: Buffer | null;
}

export interface Page {
  exceptVersion: number;
  /** The last row of the page before. */
  after: string | null;
  atMost: number;
}

/** Fewer than `atMost` are the last. */
export async function listValues(
  tx: Transaction,
  { table, column, placeTable, placeColumn }: EncryptedColumn,
  { exceptVersion, after, atMost }: Page,
): Promise<ListedRow[]> {
  const { rows } = await tx.query<{ row_key: string; place_row: string; encrypted: Buffer | null }>(
    'select * from kelpie.list_encrypted_values($1, $2, $3, $4, $5)',
    [table, column, exceptVersion, after, atMost],
  );
  return rows.map(({ row_key: key, place_row: row, encrypted }) => ({
    key,
    place: { table: placeTable, row, column: placeColumn },
    encrypted,
  }));
}

export interface Replacement {
  key: string;
  before: Buffer;
  after: Buffer;
}

/** Returns how many were still as they were read. The database refuses it without an audit entry in this transaction. */
export async function replaceValues(
  tx: Transaction,
  { table, column }: EncryptedColumn,
  values: readonly Replacement[],
): Promise<number> {
  const { rows } = await tx.query<{ replaced: number }>(
    'select kelpie.replace_encrypted_values($1, $2, $3, $4, $5) as replaced',
    [table, column, values.map(({ key }) => key), values.map(({ before }) => before), values.map(({ after }) => after)],
  );
  return rows[0]?.replaced ?? 0;
}

/** The next partners, in the order of their ids. Runs as kelpie_reader. */
export async function listPartnerIds(tx: Transaction, after: string | null, atMost: number): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>(
    'select id from kelpie.partners where $1::uuid is null or id > $1 order by id limit $2',
    [after, atMost],
  );
  return rows.map(({ id }) => id);
}
