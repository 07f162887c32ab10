import { instantOf } from '../platform/ids.ts';
import { ArchiveUnreadable } from './archive-store.ts';

/** Whose a payout is, and which. */
export interface LineKey {
  id: string;
  partnerId: string;
  environment: string;
}

/** A payout with its history, as the database wrote it, and reads it again: what its columns hold is nothing to us. */
export interface ArchivedLine extends LineKey {
  text: string;
}

/** An entry of the ledger, as the database wrote it. */
export interface ArchivedEntry {
  text: string;
  transferId: string;
  line: number;
  partnerId: string;
  environment: string;
  account: string;
  reason: string;
  /** Of a movement of a wallet; zero for every other entry. */
  number: number;
}

function objectFrom(value: unknown, what: string): object {
  if (typeof value !== 'object' || value === null) throw new ArchiveUnreadable(`a line is no ${what}`);
  return value;
}

function textAt(row: object, column: string): string {
  const value: unknown = Reflect.get(row, column);
  if (typeof value !== 'string') throw new ArchiveUnreadable(`a line has no ${column}`);
  return value;
}

function numberAt(row: object, column: string): number {
  const value: unknown = Reflect.get(row, column) ?? 0;
  if (!Number.isSafeInteger(value)) throw new ArchiveUnreadable(`a line has no ${column}`);
  return Number(value);
}

export function parseLine(text: string): ArchivedLine {
  const line = objectFrom(JSON.parse(text), 'payout');
  const payout = objectFrom(Reflect.get(line, 'payout'), 'payout');
  if (!Array.isArray(Reflect.get(line, 'history'))) throw new ArchiveUnreadable('a line is no payout');
  return {
    text,
    id: textAt(payout, 'id'),
    partnerId: textAt(payout, 'partner_id'),
    environment: textAt(payout, 'environment'),
  };
}

/** What was posted for a payout, by its history. */
export function transfersOf({ text }: ArchivedLine): string[] {
  const history: unknown = Reflect.get(objectFrom(JSON.parse(text), 'payout'), 'history');
  if (!Array.isArray(history)) throw new ArchiveUnreadable('a line is no payout');
  return history.flatMap((change: unknown) => {
    const ids: unknown = Reflect.get(objectFrom(change, 'change'), 'transfer_ids');
    return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : [];
  });
}

export function parseEntry(text: string): ArchivedEntry {
  const entry = objectFrom(JSON.parse(text), 'entry');
  return {
    text,
    transferId: textAt(entry, 'transfer_id'),
    line: numberAt(entry, 'line'),
    partnerId: textAt(entry, 'partner_id'),
    environment: textAt(entry, 'environment'),
    account: textAt(entry, 'account'),
    reason: textAt(entry, 'reason'),
    number: numberAt(entry, 'wallet_version'),
  };
}

export function dayOf(id: string): string {
  return instantOf(id).toISOString().slice(0, 10);
}

/** The days of a month such as 2025-01, in order. */
export function daysOfMonth(month: string): string[] {
  const days: string[] = [];
  for (const day = new Date(`${month}-01T00:00:00Z`); ; day.setUTCDate(day.getUTCDate() + 1)) {
    const text = day.toISOString().slice(0, 10);
    if (!text.startsWith(month)) return days;
    days.push(text);
  }
}

/** What the keys of a partner's lines of a day begin with. */
export function dayKeyOf(day: string, { partnerId, environment }: Omit<LineKey, 'id'>): string {
  return `${day}/${partnerId}/${environment}/`;
}

/**
 * By which the lines are ordered, as text: UTC day, partner, environment, id. So one payout is in one block, those of a partner
 * lie together for each day, and a day can be proved by itself.
 */
export function keyOf(of: LineKey): string {
  return `${dayKeyOf(dayOf(of.id), of)}${of.id}`;
}

/** Where an entry stands among those of its partner and day: by its number, so that a page of a statement is in few blocks. */
export function placeOf({ number, transferId, line }: Pick<ArchivedEntry, 'number' | 'transferId' | 'line'>): string {
  return `${String(number).padStart(19, '0')}/${transferId}/${String(line).padStart(2, '0')}`;
}

export function keyOfEntry(entry: ArchivedEntry): string {
  return `${dayKeyOf(dayOf(entry.transferId), entry)}${placeOf(entry)}`;
}
