export interface Ramp {
  /** How many may be in hand now. */
  most(): number;
  succeeded(): void;
  /** Something stands in the way, or did just now: begins with a few again. */
  restart(): void;
}

/** After an outage everything is due at once. It begins with a few, and doubles each time that so many have succeeded. */
export function createRamp({ few, usual }: { few: number; usual: number }): Ramp {
  let most = usual;
  let successes = 0;
  return {
    most: () => most,
    succeeded() {
      if (most === usual) return;
      successes += 1;
      if (successes < most) return;
      most = Math.min(usual, most * 2);
      successes = 0;
    },
    restart() {
      most = few;
      successes = 0;
    },
  };
}
