import type { Logger } from '../logging.ts';
import type { DatabaseState } from './database-state.ts';

/** What a probe found: null if its write was confirmed, otherwise why not. */
export type ProbeResult = DatabaseState | null;

/** Whether this process sends writes to the database. While none can be confirmed, they are refused at once. */
export interface WriteGate {
  isOpen: () => boolean;
  /** 0 while it is open. */
  closedForMs: () => number;
  /** For the Retry-After header: about a second at first, longer the longer it is closed, and never the same for all. */
  retryAfterSeconds: () => number;
  /**
   * Resolves once a write that began after the gate was last closed has been confirmed, at once if it is open. Rejects with the
   * signal's reason.
   */
  untilOpen: (signal: AbortSignal) => Promise<void>;
  /** A write failed for want of the database. Only a probe that begins later opens the gate again. */
  close: () => void;
}

export interface ProbedWriteGate extends WriteGate {
  /** Since the last outage that the probe met too; 0 in one. A failed write alone closes the gate for a moment, and is none. */
  confirmedForMs: () => number;
  stop: () => void;
}

interface GateDeps {
  /** Makes a small write and waits until it is confirmed. It has a deadline, and never rejects. */
  probe: () => Promise<ProbeResult>;
  logger: Logger;
  /** Milliseconds, as `performance.now` gives them. */
  now?: () => number;
  everyMs?: { open: number; closed: number };
  /** `closed` for a process that has to wait for its first confirmed write. */
  begins?: 'open' | 'closed';
}

/** Also without traffic, so that readiness knows. */
const probeEveryMs = { open: 2_000, closed: 500 };
/** Before half of it is added or taken away at random. */
const longestRetrySeconds = 20;

/** About a third of the outage so far: callers come back soon after its end, and not all in the same second. */
export function retryAfterFor(closedForMs: number, random: () => number = Math.random): number {
  const base = Math.min(longestRetrySeconds, Math.max(1, closedForMs / 3_000));
  return Math.ceil(base * (0.5 + random()));
}

/** For commands and tests: they report what the database says themselves. */
export const openWriteGate: WriteGate = {
  isOpen: () => true,
  closedForMs: () => 0,
  retryAfterSeconds: () => retryAfterFor(0),
  untilOpen: async () => undefined,
  close: () => undefined,
};

interface Waiter {
  resolve: () => void;
}

async function untilResolved(waiters: Set<Waiter>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<undefined>();
  const waiter: Waiter = { resolve: () => resolve(undefined) };
  const onAbort = (): void => reject(signal.reason);
  waiters.add(waiter);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    await promise;
  } finally {
    waiters.delete(waiter);
    signal.removeEventListener('abort', onAbort);
  }
}

/** Opens and closes with what its probe finds. */
export function startWriteGate(deps: GateDeps): ProbedWriteGate {
  const { probe, logger, everyMs = probeEveryMs, begins = 'open' } = deps;
  const clock = deps.now ?? (() => performance.now());
  let open = begins === 'open';
  let closedAt = clock();
  let isReported = false;
  let confirmedSince = clock();
  // A write that began before the last failure proves nothing about what came after it.
  let closings = 0;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let probing: Promise<void> | null = null;
  const waiters = new Set<Waiter>();

  const reopen = (): void => {
    open = true;
    if (isReported) {
      logger.info({ duration_ms: Math.round(clock() - closedAt) }, 'writes.regained');
      confirmedSince = clock();
    }
    isReported = false;
    for (const { resolve } of waiters) resolve();
  };
  const shut = (): void => {
    closings += 1;
    if (!open) return;
    open = false;
    closedAt = clock();
  };
  /** One lost connection is no outage: only what the probe meets too is reported, once. */
  const report = (state: DatabaseState): void => {
    if (!isReported) logger.error({ error_code: state }, 'writes.lost');
    isReported = true;
  };
  const probeOnce = async (): Promise<void> => {
    const begunAt = closings;
    const state = await probe();
    if (state !== null) {
      shut();
      report(state);
    } else if (!open && begunAt === closings) reopen();
  };
  const schedule = (afterMs: number): void => {
    clearTimeout(timer);
    if (!isStopped) timer = setTimeout(run, afterMs).unref();
  };
  /** A failure while a probe was under way is followed by another probe at once. */
  const run = (): void => {
    if (probing !== null) return;
    const begunAt = closings;
    probing = probeOnce().finally(() => {
      probing = null;
      const isOutdated = !open && !isReported && begunAt !== closings;
      schedule(isOutdated ? 0 : open ? everyMs.open : everyMs.closed);
    });
  };
  schedule(0);
  return {
    isOpen: () => open,
    closedForMs: () => (open ? 0 : clock() - closedAt),
    confirmedForMs: () => (isReported ? 0 : clock() - confirmedSince),
    retryAfterSeconds: () => retryAfterFor(open ? 0 : clock() - closedAt),
    untilOpen: async (signal) => (open ? undefined : untilResolved(waiters, signal)),
    close() {
      const wasOpen = open;
      shut();
      if (wasOpen && probing === null) schedule(0);
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
