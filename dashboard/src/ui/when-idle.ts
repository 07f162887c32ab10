const longestWaitMs = 2_000;

/** Resolves once the browser is idle, for work that can wait. */
export async function whenIdle(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof requestIdleCallback === 'function') requestIdleCallback(() => resolve(), { timeout: longestWaitMs });
    else setTimeout(resolve, 200);
  });
}
