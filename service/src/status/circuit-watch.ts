/** A circuit that no call tries to close says nothing after this time. */
const countsForMs = 60_000;
/** Without these, no payout is priced or sent. */
const neededForPayouts = new Set(['send', 'register', 'read']);

export interface CircuitWatch {
  /** A circuit of the live bank opened or closed. Each call that tries an open one in vain opens it anew. */
  onCircuit: (purpose: string, isOpen: boolean) => void;
  isBankSilent: () => boolean;
}

export function createCircuitWatch(now: () => number = () => performance.now()): CircuitWatch {
  const openedAt = new Map<string, number>();
  return {
    onCircuit(purpose, isOpen) {
      if (!neededForPayouts.has(purpose)) return;
      if (isOpen) openedAt.set(purpose, now());
      else openedAt.delete(purpose);
    },
    isBankSilent: () => [...openedAt.values()].some((at) => now() - at < countsForMs),
  };
}
