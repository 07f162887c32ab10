import type { Pool } from '../platform/database/pool.ts';
import type { PartnerAddresses } from './directory-store.ts';
import type { PartnerMove } from './move.ts';

// The functions of a cell's database (sql/cell.sql), as kelpie_mover.

export interface PartnerTable {
  name: string;
  isIncremental: boolean;
}

export async function listPartnerTables(pool: Pool): Promise<PartnerTable[]> {
  const { rows } = await pool.query<{ name: string; is_incremental: boolean }>(
    `select name, is_incremental and renumbered is null as is_incremental from cells.partner_tables order by name`,
  );
  return rows.map(({ name, is_incremental: isIncremental }) => ({ name, isIncremental }));
}

export async function readShape(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ shape: string }>('select cells.shape() as shape');
  return rows[0]?.shape ?? '';
}

/** Transactions from this one on may have been under way; all before it are over. */
export async function readSnapshot(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ since: string }>('select pg_snapshot_xmin(pg_current_snapshot())::text as since');
  const [row] = rows;
  if (row === undefined) throw new Error('a snapshot has a row');
  return row.since;
}

export interface RowsPage {
  /** A list in JSON, handed on as it is: a number that JavaScript would round stays whole. */
  rows: string | null;
  lastKey: string | null;
  count: number;
}

export async function readRows(
  pool: Pool,
  table: string,
  partnerId: string,
  { since, after, atMost }: { since: string | null; after: string | null; atMost: number },
): Promise<RowsPage> {
  const { rows } = await pool.query<{ rows: string | null; last_key: string | null; read_rows: number }>(
    'select * from cells.read_rows($1, $2, $3, $4, $5)',
    [table, partnerId, since, after, atMost],
  );
  const [row] = rows;
  return { rows: row?.rows ?? null, lastKey: row?.last_key ?? null, count: row?.read_rows ?? 0 };
}

export async function writeRows(
  pool: Pool,
  table: string,
  { partnerId, attempt }: PartnerMove,
  rows: string,
): Promise<void> {
  await pool.query('select cells.write_rows($1, $2, $3, $4)', [table, partnerId, attempt, rows]);
}

export async function deleteRows(pool: Pool, table: string, { partnerId, attempt }: PartnerMove): Promise<void> {
  await pool.query('select cells.delete_rows($1, $2, $3)', [table, partnerId, attempt]);
}

export async function digestRows(pool: Pool, table: string, partnerId: string): Promise<string> {
  const { rows } = await pool.query<{ said: string }>(
    `select rows || ' rows, ' || digest as said from cells.digest_rows($1, $2)`,
    [table, partnerId],
  );
  return rows[0]?.said ?? '';
}

/** Of rows that have changed since a snapshot, or of all others. */
export interface HalfDigest {
  allRows: string;
  /** How many rows of that half, and their digest. */
  said: string;
}

export type Half = 'changed' | 'settled';

export async function digestByChange(
  pool: Pool,
  table: string,
  partnerId: string,
  { since, half }: { since: string; half: Half },
): Promise<HalfDigest & { changedKeys: string }> {
  const { rows } = await pool.query<{ all_rows: string; said: string; changed_keys: string }>(
    `select all_rows, rows || ' rows, ' || digest as said, changed_keys from cells.digest_by_change($1, $2, $3, $4)`,
    [table, partnerId, since, half === 'changed'],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('a digest has a row');
  return { allRows: row.all_rows, said: row.said, changedKeys: row.changed_keys };
}

export async function digestByKeys(
  pool: Pool,
  table: string,
  partnerId: string,
  { changedKeys, half }: { changedKeys: string; half: Half },
): Promise<HalfDigest> {
  const { rows } = await pool.query<{ all_rows: string; said: string }>(
    `select all_rows, rows || ' rows, ' || digest as said from cells.digest_by_keys($1, $2, $3, $4)`,
    [table, partnerId, changedKeys, half === 'changed'],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('a digest has a row');
  return { allRows: row.all_rows, said: row.said };
}

async function sentences(pool: Pool, text: string, values: readonly unknown[]): Promise<string[]> {
  const { rows } = await pool.query<{ said: string }>(text, [...values]);
  return rows.map(({ said }) => said);
}

export async function judgeRows(pool: Pool, partnerId: string): Promise<string[]> {
  return sentences(pool, 'select said from cells.judge_rows($1) said', [partnerId]);
}

export async function listObstaclesToLeave(pool: Pool, partnerId: string): Promise<string[]> {
  return sentences(pool, 'select said from cells.obstacles_to_leave($1) said', [partnerId]);
}

export async function listObstaclesToArrive(
  pool: Pool,
  partnerId: string,
  firstEntryAt: Date | null,
): Promise<string[]> {
  return sentences(pool, 'select said from cells.obstacles_to_arrive($1, $2) said', [partnerId, firstEntryAt]);
}

export async function findFirstEntryAt(pool: Pool, partnerId: string): Promise<Date | null> {
  const { rows } = await pool.query<{ at: Date | null }>('select cells.first_entry_at($1) as at', [partnerId]);
  return rows[0]?.at ?? null;
}

export async function copySharedRows(from: Pool, to: Pool, partnerId: string): Promise<void> {
  const { rows } = await from.query<{ shared: string }>('select cells.read_shared_rows($1) as shared', [partnerId]);
  await to.query('select cells.write_shared_rows($1)', [rows[0]?.shared]);
}

export async function closePartner(
  pool: Pool,
  { partnerId, id, attempt }: PartnerMove,
  state: 'leaving' | 'gone' | 'arriving',
): Promise<void> {
  await pool.query('select cells.close_partner($1, $2, $3, $4)', [partnerId, state, id, attempt]);
}

export async function openPartner(pool: Pool, { partnerId, id, attempt }: PartnerMove): Promise<void> {
  await pool.query('select cells.open_partner($1, $2, $3)', [partnerId, id, attempt]);
}

export async function takeOverArrival(pool: Pool, { partnerId, id, attempt }: PartnerMove): Promise<boolean> {
  const { rows } = await pool.query<{ is_arriving: boolean }>(
    'select cells.take_over_arrival($1, $2, $3) as is_arriving',
    [partnerId, id, attempt],
  );
  return rows[0]?.is_arriving === true;
}

export async function listRunningTransactions(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ ids: string[] }>('select cells.running_transactions() as ids');
  return rows[0]?.ids ?? [];
}

export async function readAddresses(pool: Pool, partnerId: string): Promise<PartnerAddresses> {
  const { rows } = await pool.query<{ slug: string; key_prefixes: string[]; sessions: Buffer[] }>(
    'select * from cells.addresses_of($1)',
    [partnerId],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('the partner is not in this cell');
  return { slug: row.slug, keyPrefixes: row.key_prefixes, sessions: row.sessions };
}
