import type { ApiAnswer } from '../harness/client.ts';
import type { Stage } from './stage.ts';

/** What an attacker tries, counted, and what of it they got. */
export interface Attempts {
  /** One attempt; `isThrough` says whether the attacker got what they wanted. */
  add(what: string, isThrough: boolean): void;
  /** An answer that must be one of these refusals, as `403 api_key_required`. Anything else is through, a 500 too. */
  mustBe(what: string, answer: Pick<ApiAnswer, 'status' | 'code'>, ...refusals: string[]): void;
  tried(): number;
  through(): readonly string[];
}

export interface Attack {
  name: string;
  /** Who attacks, with what, and to which end. */
  tries: string;
  run(stage: Stage, attempts: Attempts): Promise<void>;
}

export function createAttempts(): Attempts {
  let tried = 0;
  const through: string[] = [];
  const add = (what: string, isThrough: boolean): void => {
    tried += 1;
    if (isThrough) through.push(what);
  };
  return {
    add,
    mustBe(what, { status, code }, ...refusals) {
      const said = `${status} ${code}`.trim();
      add(`${what}: ${said}`, !refusals.includes(said));
    },
    tried: () => tried,
    through: () => through,
  };
}
