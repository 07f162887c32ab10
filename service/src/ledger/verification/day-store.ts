import type { Transaction } from '../../platform/database/transaction.ts';
import type { ClosedDay, Day } from './closed-days.ts';

interface DayRow {
  day: Day;
  entries: string;
  entries_digest: string;
  orders: string;
  orders_digest: string;
  previous_mac: string;
  mac: string;
}

/** Thirty years. */
const mostDays = 11_000;

/** Every day that was closed, in order. */
export async function listClosedDays(tx: Transaction): Promise<ClosedDay[]> {
  const { rows } = await tx.query<DayRow>(
    `select day::text, entries, entries_digest, orders, orders_digest, previous_mac, mac
     from kelpie.closed_days order by day limit ${mostDays}`,
  );
  return rows.map((row) => ({
    day: row.day,
    entries: { rows: Number(row.entries), digest: row.entries_digest },
    orders: { rows: Number(row.orders), digest: row.orders_digest },
    previousMac: row.previous_mac,
    mac: row.mac,
  }));
}

export async function insertClosedDay(tx: Transaction, closed: ClosedDay, at: Date): Promise<void> {
  const { day, entries, orders, previousMac, mac } = closed;
  await tx.query(
    `insert into kelpie.closed_days (day, entries, entries_digest, orders, orders_digest, previous_mac, mac, closed_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [day, entries.rows, entries.digest, orders.rows, orders.digest, previousMac, mac, at],
  );
}

/** The day of the first entry, or null where nothing was ever posted. */
export async function findFirstDay(tx: Transaction): Promise<Day | null> {
  const { rows } = await tx.query<{ day: Day }>(
    `select (kelpie.instant_of(transfer_id) at time zone 'utc')::date::text as day
     from kelpie.ledger_entries order by transfer_id limit 1`,
  );
  return rows[0]?.day ?? null;
}

export interface VerifiedNight {
  id: string;
  beganAt: Date;
  endedAt: Date;
  entries: number;
  differences: number;
  readUntil: Day | null;
}

export async function insertVerification(tx: Transaction, night: VerifiedNight): Promise<void> {
  await tx.query(
    `insert into kelpie.ledger_verifications (id, began_at, ended_at, entries, differences, read_until)
     values ($1, $2, $3, $4, $5, $6)`,
    [night.id, night.beganAt, night.endedAt, night.entries, night.differences, night.readUntil],
  );
}

/** Up to where the last night read old days again. */
export async function findReadUntil(tx: Transaction): Promise<Day | null> {
  const { rows } = await tx.query<{ read_until: Day | null }>(
    'select read_until::text from kelpie.ledger_verifications order by id desc limit 1',
  );
  return rows[0]?.read_until ?? null;
}
