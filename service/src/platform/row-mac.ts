// Rows that decide who may pay, or who is paid, carry a MAC over what decides. Only our processes have its key, so a row that
// was written past them is known for it.
import { createHmac, createSecretKey, hkdfSync, timingSafeEqual, type KeyObject } from 'node:crypto';

/** By version. The first makes; the others recognise. */
export type RowKeys = ReadonlyMap<number, Buffer>;

/** What a column holds. */
export type Deciding = string | null | boolean | Date | Buffer | readonly string[];

/** A row, by its table and by what is safe to log of it. */
export interface NamedRow {
  table: string;
  partnerId: string;
}

export interface RowMacs {
  /** Of the key that makes. A MAC begins with that of its own. */
  version: number;
  make(row: NamedRow, values: readonly Deciding[]): Buffer;
  /** Whether the row is as we wrote it. One that is not raises an alarm. */
  isOurs(row: NamedRow, values: readonly Deciding[], mac: Buffer | null): boolean;
}

/** A row was changed past our processes. Nothing is decided by it. */
export class RowTampered extends Error {
  override readonly name = 'RowTampered';

  constructor() {
    super('a row was changed past us');
  }
}

const macBytes = 1 + 32;

function textOf(value: Exclude<Deciding, null>): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  if (value instanceof Date) return String(value.getTime());
  return Buffer.isBuffer(value) ? value.toString('hex') : value.join(',');
}

/** Each with its length before it: no two rows have the same text. */
function encode(values: readonly Deciding[]): string {
  return values
    .map((value) => (value === null ? '-' : textOf(value)))
    .map((text, at) => (values[at] === null ? text : `${Buffer.byteLength(text)}:${text}`))
    .join(',');
}

/** A key of rows, made from the one that is configured. */
export function rowKeyOf(masterKey: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', masterKey, '', 'kelpie rows', 32));
}

function macBy(key: KeyObject, { table }: NamedRow, values: readonly Deciding[]): Buffer {
  return createHmac('sha256', key)
    .update(encode([table, ...values]))
    .digest();
}

export function createRowMacs(keys: RowKeys, onTampered: (row: NamedRow) => void): RowMacs {
  const made = new Map([...keys].map(([version, bytes]) => [version, createSecretKey(rowKeyOf(bytes))]));
  const [newest] = made;
  if (newest === undefined) throw new Error('there is no row key');
  const [version, key] = newest;
  return {
    version,
    make: (row, values) => Buffer.concat([Buffer.of(version), macBy(key, row, values)]),
    isOurs(row, values, mac) {
      const by = mac?.length === macBytes ? made.get(mac[0] ?? 0) : undefined;
      const isEqual = by !== undefined && mac !== null && timingSafeEqual(macBy(by, row, values), mac.subarray(1));
      if (!isEqual) onTampered(row);
      return isEqual;
    },
  };
}

function withoutKey(): never {
  throw new Error('this process has no row key');
}

/** For a process that decides nothing. */
export const noRowMacs: RowMacs = { version: 0, make: withoutKey, isOurs: withoutKey };
