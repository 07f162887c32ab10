import { NIL, v7 } from 'uuid';
import type { Clock } from './clock.ts';
import { takeRandomBytes } from './random-bytes.ts';

/**
 * A UUIDv7. The instant inside it is the clock's: rows sort by the time they were made, inserts stay at the right edge of
 * an index, and a monthly partition is a range of ids.
 */
export function newId(clock: Clock): string {
  return v7({ msecs: clock.now().getTime(), random: takeRandomBytes(16) });
}

/** The UUIDv7 of an instant and at least 16 bytes: the same of the same, on every process. */
export function idFor(instant: Date, bytes: Uint8Array): string {
  // All of its randomness comes from the bytes; the sequence number, which would be the library's own, too.
  const seq = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0);
  return v7({ msecs: instant.getTime(), random: bytes.slice(0, 16), seq });
}

/** The smallest UUIDv7 of an instant: every id that was made before it is smaller. */
export function firstIdAt(instant: Date): string {
  const digits = Math.max(0, instant.getTime()).toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}-0000-0000-000000000000`;
}

/** Smaller than every id there is. */
export const nilId: string = NIL;

/** Any UUID as PostgreSQL reads one, whatever its version, as part of a pattern. */
export const uuidPattern = '[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}';
const uuidForm = new RegExp(`^${uuidPattern}$`);

export function isUuid(text: string): boolean {
  return uuidForm.test(text);
}

/** Larger than every id there is. */
export const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** The instant inside a UUIDv7. */
export function instantOf(id: string): Date {
  return new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16));
}
