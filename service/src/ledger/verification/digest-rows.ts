import { createHash } from 'node:crypto';
import type { Transaction } from '../../platform/database/transaction.ts';
import { firstIdAt, instantOf, nilId } from '../../platform/ids.ts';
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

const entriesSql = (from: string): string => `
  select transfer_id as id, line,
    row(transfer_id, line, partner_id, environment, account, amount, reason, cause_id, wallet_balance_after, wallet_version)::text as row
  from ${from}`;

const entriesOfSpan = entriesSql('kelpie.ledger_entries where transfer_id >= $1 and transfer_id < $2');

export async function digestEntries(tx: Transaction, span: IdSpan): Promise<RowsDigest> {
  return digestRows(tx, entriesOfSpan, span);
}

const archivedEntriesSql = `${entriesOfSpan} union all ${entriesSql(
  'unnest($3::text[]) as archived cross join lateral jsonb_populate_record(null::kelpie.ledger_entries, archived::jsonb) e',
)}`;

/**
 * The first part of it for a span of which some entries are lines of the archive, in the order of their transfers. A day can be done
 * in several spans that begin where a minute does (splitSpan).
 */
export async function digestArchivedEntries(
  tx: Transaction,
  span: IdSpan,
  lines: readonly ArchivedRow[],
): Promise<MinuteDigest[]> {
  const minutes: MinuteDigest[] = [];
  const stretches = [...inMinutes(lines)];
  for (const [at, some] of (stretches.length === 0 ? [[]] : stretches).entries()) {
    const next = stretches[at + 1]?.[0];
    const first = at === 0 ? span.first : minuteOf(some[0]?.id);
    const before = next === undefined ? span.before : minuteOf(next.id);
    minutes.push(...(await digestMinutes(tx, archivedEntriesSql, [first, before, some.map(({ text }) => text)])));
  }
  return minutes;
}

/** A span in about so many, each of whole minutes. */
export function splitSpan({ first, before }: IdSpan, count: number): IdSpan[] {
  const [from, to] = [instantOf(first).getTime(), instantOf(before).getTime()];
  const cuts = Array.from({ length: count - 1 }, (_, at) => {
    const instant = from + ((to - from) * (at + 1)) / count;
    return minuteOf(firstIdAt(new Date(Math.floor(instant))));
  });
  const ends = [first, ...cuts.filter((id) => id > first), before];
  return ends.slice(0, -1).map((id, at) => ({ first: id, before: ends[at + 1] ?? before }));
}

/** A line of the archive, with the id that its minute is in. */
export interface ArchivedRow {
  id: string;
  text: string;
}

/** The first id of the minute of an id. */
function minuteOf(id = nilId): string {
  return id.slice(0, 8) + nilId.slice(8);
}

const linesAtOnce = 2_000;

/** Stretches of about that many lines. A minute, which is the first eight digits of an id, is never in two. */
export function* inMinutes<Row extends ArchivedRow>(lines: readonly Row[]): Generator<readonly Row[]> {
  let first = 0;
  while (first < lines.length) {
    let end = Math.min(first + linesAtOnce, lines.length);
    const minute = lines[end - 1]?.id.slice(0, 8);
    while (end < lines.length && lines[end]?.id.slice(0, 8) === minute) end += 1;
    yield lines.slice(first, end);
    first = end;
  }
}
