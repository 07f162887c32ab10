// Whether somebody is there. A page that asks by itself keeps a session open, so it asks only while it is looked at.
const awayAfterMs = 10 * 60_000;

let lastSeen = performance.now();
const onReturn = new Set<() => void>();

function isAway(): boolean {
  return performance.now() - lastSeen >= awayAfterMs;
}

function seen(): void {
  const isBack = isAway();
  lastSeen = performance.now();
  if (isBack) for (const listener of onReturn) listener();
}

for (const event of ['pointerdown', 'pointermove', 'keydown', 'scroll', 'focus'] as const) {
  window.addEventListener(event, seen, { passive: true, capture: true });
}

/** Calls the listener whenever somebody is back after a while, until the function that it gives is called. */
export function whenSomebodyReturns(listener: () => void): () => void {
  onReturn.add(listener);
  return () => void onReturn.delete(listener);
}

/** For `refetchInterval`: every so often while somebody looks, and not at all while nobody does. */
export function liveEvery(intervalMs: number): () => number | false {
  return () => (document.visibilityState === 'visible' && !isAway() ? intervalMs : false);
}
