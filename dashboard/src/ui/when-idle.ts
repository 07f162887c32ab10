const longestWaitMs = 2_000;

/** Once the browser has nothing better to do: for what nobody waits for. */
export async function whenIdle(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof requestIdleCallback === 'function') requestIdleCallback(() => resolve(), { timeout: longestWaitMs });
    else setTimeout(resolve, 200);
  });
}
