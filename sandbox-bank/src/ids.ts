import { v7, validate } from 'uuid';

/** A UUIDv7 whose instant is the bank's. */
export function newId(at: Date): string {
  return v7({ msecs: at.getTime() });
}

/** PostgreSQL would answer anything else with an error of its own. */
export function isId(text: string): boolean {
  return validate(text);
}
