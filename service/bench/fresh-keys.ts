import { randomBytes } from 'node:crypto';
import { keyMark } from './load-plan.ts';

const keyStart = randomBytes(11).toString('hex');
const counterDigits = 13;
let keysMade = 0;

/** As long as a UUID, which is what most partners send. */
function freshKey(): string {
  keysMade += 1;
  return `${keyStart}-${keysMade.toString().padStart(counterDigits, '0')}`;
}

/** Gives the request of a number, with an idempotency key of its own where it has one. */
export function createFiller(requests: readonly string[]): (number: number) => string {
  const pieces = requests.map((request) => request.split(keyMark));
  return (number) => {
    const [start = '', end] = pieces[number] ?? [];
    return end === undefined ? start : start + freshKey() + end;
  };
}
