import type { Call, SingleCalls } from '../platform/database/single-call.ts';
import type { Transaction } from '../platform/database/transaction.ts';
import type { ArchivedMonth } from './month-file.ts';

const listMonthsCall: Call = {
  name: 'list_archived_months',
  text: `select to_char(month, 'YYYY-MM'), name, manifest_digest from kelpie.archived_months
    where state <> 'writing' order by month desc`,
};

/** The months that the files answer for, the newest first. */
export async function listArchivedMonths(calls: SingleCalls): Promise<ArchivedMonth[]> {
  const rows = await calls.callForTexts<[month: string, name: string, digest: string]>(listMonthsCall, []);
  return rows.map(([month, name, manifestDigest]) => ({ month, name, manifestDigest }));
}

type MonthState = 'writing' | 'archived' | 'returning';

/** All that the database knows of a month in the archive, for operators. */
export interface MonthRecord {
  month: string;
  state: MonthState;
  name: string;
  beganAt: Date;
  manifestDigest: string | null;
  mac: string | null;
  payouts: number | null;
  bytes: number | null;
  archivedAt: Date | null;
  rowsDigest: string | null;
  entries: number | null;
  entriesDigest: string | null;
  /** Of what stays in the database in the place of its entries. */
  keptDigest: string | null;
  /** Whether its rows are still in the database. */
  isHere: boolean;
}

interface MonthRow {
  month: string;
  state: MonthState;
  name: string;
  began_at: Date;
  manifest_digest: string | null;
  mac: string | null;
  payouts: string | null;
  bytes: string | null;
  archived_at: Date | null;
  rows_digest: string | null;
  entries: string | null;
  entries_digest: string | null;
  kept_digest: string | null;
  is_here: boolean;
}

function recordFrom(row: MonthRow): MonthRecord {
  return {
    month: row.month,
    state: row.state,
    name: row.name,
    beganAt: row.began_at,
    manifestDigest: row.manifest_digest,
    mac: row.mac,
    payouts: row.payouts === null ? null : Number(row.payouts),
    bytes: row.bytes === null ? null : Number(row.bytes),
    archivedAt: row.archived_at,
    rowsDigest: row.rows_digest,
    entries: row.entries === null ? null : Number(row.entries),
    entriesDigest: row.entries_digest,
    keptDigest: row.kept_digest,
    isHere: row.is_here,
  };
}

/** The oldest first. */
export async function listMonthRecords(tx: Transaction): Promise<MonthRecord[]> {
  const { rows } = await tx.query<MonthRow>(
    `select to_char(m.month, 'YYYY-MM') as month, m.state, m.name, m.began_at, m.manifest_digest, m.mac, m.payouts, m.bytes,
       m.archived_at, m.rows_digest, m.entries, m.entries_digest, m.kept_digest, m.left_at is null as is_here
     from kelpie.archived_months m order by m.month limit 1000`,
  );
  return rows.map(recordFrom);
}

/** Why the month cannot be archived; null where it can. */
export async function findObstacle(tx: Transaction, month: string, at: Date): Promise<string | null> {
  const { rows } = await tx.query<{ obstacle: string | null }>(
    `select kelpie.archive_obstacle(($1 || '-01')::date, $2) as obstacle`,
    [month, at],
  );
  return rows[0]?.obstacle ?? null;
}

const linesAtOnce = 300;

/** Its lines in their order, in one snapshot; as the reading role. By day, so that what is sorted is a day and not a month. */
async function* readByDay(
  tx: Transaction,
  month: string,
  linesOf: (day: { first: string; before: string }) => string,
): AsyncGenerator<string[]> {
  await tx.query(`set local work_mem = '64MB'`);
  const { rows: days } = await tx.query<{ first: string; before: string }>(
    `select kelpie.first_id_at(day at time zone 'utc') as first, kelpie.first_id_at((day + interval '1 day') at time zone 'utc') as before
     from generate_series(($1 || '-01')::timestamp, ($1 || '-01')::timestamp + interval '1 month' - interval '1 day', interval '1 day') as day`,
    [month],
  );
  for (const day of days) {
    await tx.query(`declare lines no scroll cursor for ${linesOf(day)}`);
    for (;;) {
      const { rows } = await tx.query<{ line: string }>(`fetch ${linesAtOnce} from lines`);
      if (rows.length === 0) break;
      yield rows.map(({ line }) => line);
    }
    await tx.query('close lines');
  }
}

export function readPayoutLines(tx: Transaction, month: string): AsyncGenerator<string[]> {
  return readByDay(
    tx,
    month,
    ({ first, before }) =>
      `select kelpie.archived_line(
         to_jsonb(p), (select jsonb_agg(to_jsonb(h) order by h.number) from kelpie.payout_history h where h.payout_id = p.id)
       ) as line
       from kelpie.payouts p where p.id >= '${first}' and p.id < '${before}'
       order by p.partner_id, p.environment::text collate "C", p.id`,
  );
}

/** The entries of the ledger that leave with its payouts. */
export function readEntryLines(tx: Transaction, month: string): AsyncGenerator<string[]> {
  return readByDay(
    tx,
    month,
    ({ first, before }) =>
      `select to_jsonb(e)::text as line from kelpie.leaving_entries('${month}-01', '${first}', '${before}') e
       order by e.partner_id, e.environment::text collate "C", coalesce(e.wallet_version, 0), e.transfer_id, e.line`,
  );
}

/** What stays in the database in the place of a month's entries, digested anew. */
export async function digestKept(tx: Transaction, month: string): Promise<string> {
  const { rows } = await tx.query<{ digest: string }>(`select kelpie.kept_digest(($1 || '-01')::date) as digest`, [
    month,
  ]);
  return rows[0]?.digest ?? '';
}

// What an operator does, each with its entry in the audit log.

/** Null once it has begun, or why it may not. */
export async function beginArchive(
  tx: Transaction,
  { month, name, at }: { month: string; name: string; at: Date },
): Promise<string | null> {
  const { rows } = await tx.query<{ obstacle: string | null }>(
    `select kelpie.operator_begin_archive(($1 || '-01')::date, $2, $3) as obstacle`,
    [month, name, at],
  );
  return rows[0]?.obstacle ?? null;
}

interface Finished {
  month: string;
  name: string;
  payouts: number;
  rowsDigest: string;
  manifestDigest: string;
  mac: string;
  bytes: number;
  entries: number;
  entriesDigest: string;
}

async function isDone(tx: Transaction, call: string, values: readonly unknown[]): Promise<boolean> {
  const { rows } = await tx.query<{ done: boolean }>(`select ${call} as done`, values);
  return rows[0]?.done === true;
}

export async function finishArchive(tx: Transaction, written: Finished): Promise<boolean> {
  const { month, name, payouts, rowsDigest, manifestDigest, mac, bytes, entries, entriesDigest } = written;
  return isDone(tx, `kelpie.operator_finish_archive(($1 || '-01')::date, $2, $3, $4, $5, $6, $7, $8, $9)`, [
    month,
    name,
    payouts,
    rowsDigest,
    manifestDigest,
    mac,
    bytes,
    entries,
    entriesDigest,
  ]);
}

/** The name of the files that are of no use now; null where nothing was begun. */
export async function stopArchive(tx: Transaction, month: string): Promise<string | null> {
  const { rows } = await tx.query<{ name: string | null }>(
    `select kelpie.operator_stop_archive(($1 || '-01')::date) as name`,
    [month],
  );
  return rows[0]?.name ?? null;
}

type DropOutcome = 'dropped' | 'absent' | 'not_archived' | 'wait';

export async function dropArchived(tx: Transaction, month: string): Promise<DropOutcome> {
  const { rows } = await tx.query<{ outcome: DropOutcome }>(
    `select kelpie.operator_drop_archived(($1 || '-01')::date) as outcome`,
    [month],
  );
  if (rows[0] === undefined) throw new Error('the database returned no row');
  return rows[0].outcome;
}

export async function beginReturn(tx: Transaction, month: string): Promise<boolean> {
  return isDone(tx, `kelpie.operator_begin_return(($1 || '-01')::date)`, [month]);
}

export async function loadPayouts(tx: Transaction, month: string, lines: readonly string[]): Promise<void> {
  await tx.query(`select kelpie.load_archived_lines(($1 || '-01')::date, $2)`, [month, lines]);
}

export async function loadEntries(tx: Transaction, month: string, lines: readonly string[]): Promise<void> {
  await tx.query(`select kelpie.load_archived_entries(($1 || '-01')::date, $2)`, [month, lines]);
}

export async function finishReturn(tx: Transaction, month: string): Promise<boolean> {
  return isDone(tx, `kelpie.operator_finish_return(($1 || '-01')::date)`, [month]);
}

/** What the database holds of it is digested, for the end of its way to the archive or back. */
export async function digestMovingMonth(tx: Transaction, month: string): Promise<void> {
  await tx.query(`select kelpie.digest_moving_month(($1 || '-01')::date)`, [month]);
  await tx.query(`select kelpie.digest_moving_entries(($1 || '-01')::date)`, [month]);
}

/** Prepares what stays of its entries when it leaves. */
export async function prepareMonth(tx: Transaction, month: string): Promise<void> {
  await tx.query(`select kelpie.prepare_month(($1 || '-01')::date)`, [month]);
}
