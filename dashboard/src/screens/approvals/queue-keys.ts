/** What a key does in the queue; undefined for any other key. */
export type QueueAct = { kind: 'move'; to: number } | { kind: 'open' | 'approve' | 'decline'; at: number };

interface Pressed {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
}

/** Where a key moves to, from the row that has the focus. */
const moves: Readonly<Record<string, (at: number, last: number) => number>> = {
  j: (at, last) => Math.min(at + 1, last),
  ArrowDown: (at, last) => Math.min(at + 1, last),
  k: (at) => Math.max(at - 1, 0),
  ArrowUp: (at) => Math.max(at - 1, 0),
  Home: () => 0,
  End: (_, last) => last,
};

const acts: Readonly<Record<string, 'open' | 'approve' | 'decline'>> = { Enter: 'open', a: 'approve', d: 'decline' };

/** `at` is the row that has the focus, -1 for none. */
export function queueAct(
  { key, ctrlKey, metaKey, altKey }: Pressed,
  { at, count }: { at: number; count: number },
): QueueAct | undefined {
  // These belong to the browser.
  if (ctrlKey || metaKey || altKey || count === 0) return undefined;
  const to = moves[key]?.(at, count - 1);
  if (to !== undefined) return { kind: 'move', to };
  const kind = acts[key];
  return kind === undefined || at < 0 ? undefined : { kind, at };
}
