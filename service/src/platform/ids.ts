import { v7 } from 'uuid';
import type { Clock } from './clock.ts';

/**
 * A UUIDv7. The instant inside it is the clock's: rows sort by the time they were made, inserts stay at the right edge of
 * an index, and a monthly partition is a range of ids.
 */
export function newId(clock: Clock): string {
  return v7({ msecs: clock.now().getTime() });
}
