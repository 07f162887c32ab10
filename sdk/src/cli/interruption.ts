import { setTimeout as delay } from 'node:timers/promises';

/**
 * Aborted by the first Ctrl-C or SIGTERM, so that a command ends where it can be continued. The second ends the process at
 * once.
 */
export function onInterruption(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => controller.abort());
  return controller.signal;
}

/** False once it is interrupted. */
export async function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return false;
  return delay(ms, true, { signal }).catch(() => false);
}
