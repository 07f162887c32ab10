/** Does one thing after the other, in the order in which they came. */
export interface Lane {
  add(work: () => Promise<unknown>): void;
  isBusy(): boolean;
  /** Until nothing is left; throws what one of them threw. */
  finish(): Promise<void>;
}

export function createLane(): Lane {
  let last: Promise<unknown> = Promise.resolve();
  let failure: { error: unknown } | undefined;
  let waiting = 0;
  return {
    add(work) {
      waiting += 1;
      last = last
        .then(work)
        .catch((error: unknown) => {
          failure ??= { error };
        })
        .finally(() => {
          waiting -= 1;
        });
    },
    isBusy: () => waiting > 0,
    async finish() {
      await last;
      if (failure !== undefined) throw new Error('something planned could not be done', { cause: failure.error });
    },
  };
}
