/** Counts of what happened, by name. */
export interface Tally {
  add(what: string): void;
  counts(): Readonly<Record<string, number>>;
}

export function createTally(): Tally {
  const counts = new Map<string, number>();
  return {
    add: (what) => void counts.set(what, (counts.get(what) ?? 0) + 1),
    counts: () => Object.fromEntries([...counts].toSorted(([one], [other]) => one.localeCompare(other))),
  };
}
