// Whether the person is active. A page that refreshes by itself keeps the session open, so it refreshes only while in use.
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

/** Calls the listener when the person returns after a while. Returns a function that stops it. */
export function whenSomebodyReturns(listener: () => void): () => void {
  onReturn.add(listener);
  return () => void onReturn.delete(listener);
}

/** For `refetchInterval`: refreshes only while the person is active. */
export function liveEvery(intervalMs: number): () => number | false {
  return () => (document.visibilityState === 'visible' && !isAway() ? intervalMs : false);
}
