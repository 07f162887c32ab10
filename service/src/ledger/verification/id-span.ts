import { firstIdAt, instantOf, lastId, nilId } from '../../platform/ids.ts';

/** A stretch of time as a range of UUIDv7s: `first` and later, before `before`. */
export interface IdSpan {
  first: string;
  before: string;
}

export const everything: IdSpan = { first: nilId, before: lastId };

const hourMs = 60 * 60_000;

/** The span and an hour around it: what belongs together is posted within one, but for what the bank does days later. */
export function nearSpan({ first, before }: IdSpan): IdSpan {
  return {
    first: first === nilId ? first : firstIdAt(new Date(instantOf(first).getTime() - hourMs)),
    before: before === lastId ? before : firstIdAt(new Date(instantOf(before).getTime() + hourMs)),
  };
}

export function spanBetween(from: Date, until: Date): IdSpan {
  return { first: firstIdAt(from), before: firstIdAt(until) };
}
