import { randomFillSync } from 'node:crypto';

const poolBytes = 8_192;
let pool = new Uint8Array();
let used = 0;

/** Bytes that nobody can foresee, and that are handed out once. Asking the system for many at a time is far cheaper. */
export function takeRandomBytes(count: number): Uint8Array {
  if (count > poolBytes) throw new Error('so many random bytes are not kept');
  if (used + count > pool.length) {
    pool = randomFillSync(new Uint8Array(poolBytes));
    used = 0;
  }
  used += count;
  return pool.subarray(used - count, used);
}
