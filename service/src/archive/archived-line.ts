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
  /** How many changes its history has. */
  changes: number;
}

function textAt(row: object, column: string): string {
  const value: unknown = Reflect.get(row, column);
  if (typeof value !== 'string') throw new ArchiveUnreadable(`a line has no ${column}`);
  return value;
}

export function parseLine(text: string): ArchivedLine {
  const line: unknown = JSON.parse(text);
  if (typeof line !== 'object' || line === null) throw new ArchiveUnreadable('a line is no payout');
  const payout: unknown = Reflect.get(line, 'payout');
  const history: unknown = Reflect.get(line, 'history');
  if (typeof payout !== 'object' || payout === null || !Array.isArray(history))
    throw new ArchiveUnreadable('a line is no payout');
  return {
    text,
    id: textAt(payout, 'id'),
    partnerId: textAt(payout, 'partner_id'),
    environment: textAt(payout, 'environment'),
    changes: history.length,
  };
}

export function dayOf(id: string): string {
  return instantOf(id).toISOString().slice(0, 10);
}

/**
 * By which the lines are ordered, as text: UTC day, partner, environment, id. So one payout is in one block, those of a partner
 * lie together for each day, and a day can be proved by itself.
 */
export function keyOf({ id, partnerId, environment }: LineKey): string {
  return `${dayOf(id)}/${partnerId}/${environment}/${id}`;
}
