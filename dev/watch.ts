/** Lets many wait for something that someone else changes. */
export interface Watch {
  /** Says that something changed: everyone who waits looks again. */
  changed: () => void;
  /** What `look` finds, now or after a change; an error once the time is up. */
  find<Found>(look: () => Found | undefined, options: { timeoutMs: number; otherwise: () => Error }): Promise<Found>;
}

export function createWatch(): Watch {
  const waiting = new Set<() => void>();
  return {
    changed: () => {
      for (const look of waiting) look();
    },
    async find<Found>(look: () => Found | undefined, options: { timeoutMs: number; otherwise: () => Error }) {
      const { promise, resolve, reject } = Promise.withResolvers<Found>();
      const lookAgain = (): void => {
        const found = look();
        if (found !== undefined) resolve(found);
      };
      const timer = setTimeout(() => reject(options.otherwise()), options.timeoutMs);
      waiting.add(lookAgain);
      lookAgain();
      try {
        return await promise;
      } finally {
        clearTimeout(timer);
        waiting.delete(lookAgain);
      }
    },
  };
}
