import type { Page } from './metrics.ts';

/** Longer than any round of a loop takes, and than what a busy database keeps one waiting. */
const lateAfterMs = 30_000;

/** The loops of a process that runs for ever: whether each still succeeds. */
export interface Health {
  /** A loop of this name began. What it returns is called after each round that succeeded. */
  watch(loop: string): () => void;
  /** All loops have begun. */
  started(): void;
  /** `/healthz`: no loop has failed for too long. Otherwise the process does not do its work. */
  alive: () => Page;
  /** `/readyz`: it works now. */
  ready: () => Page;
}

interface HealthDeps {
  /** Milliseconds, as `performance.now` gives them. */
  now?: () => number;
  /**
   * How long the database has confirmed writes; 0 while it does not. In an outage no loop can succeed, and to end the process would
   * lose what it keeps for afterwards.
   */
  writesConfirmedForMs: () => number;
}

function page(status: string, failing: readonly string[]): Page {
  return failing.length === 0
    ? { status: 200, body: { status } }
    : { status: 503, body: { status: 'failing', failing } };
}

export function createHealth({ now = () => performance.now(), writesConfirmedForMs }: HealthDeps): Health {
  const succeededAt = new Map<string, number>();
  let isStarted = false;
  const failingLoops = (): string[] => {
    if (writesConfirmedForMs() < lateAfterMs) return [];
    return [...succeededAt].flatMap(([loop, at]) => (now() - at > lateAfterMs ? [loop] : []));
  };
  return {
    watch(loop) {
      succeededAt.set(loop, now());
      return () => succeededAt.set(loop, now());
    },
    started() {
      isStarted = true;
    },
    alive: () => page('alive', failingLoops()),
    ready: () =>
      page('ready', [
        ...(isStarted ? [] : ['start']),
        ...(writesConfirmedForMs() > 0 ? [] : ['writes']),
        ...failingLoops(),
      ]),
  };
}
