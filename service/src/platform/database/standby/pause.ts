/** When the standby is asked: not for a while after it failed, and then by one caller alone until that one was answered. */
export interface Pause {
  /** Whether to ask it now. Who is told yes says how it went. */
  begin(): boolean;
  answered(): void;
  /** It may be asked again after so long; at once where the failure says nothing of the standby. */
  failed(forMs: number): void;
  /** Since its last failure no caller was answered. */
  isDown(): boolean;
}

export function createPause(now: () => number = () => performance.now()): Pause {
  let isDown = false;
  let until = 0;
  return {
    begin() {
      if (!isDown) return true;
      if (now() < until) return false;
      // The others wait for what this one finds.
      until = Number.POSITIVE_INFINITY;
      return true;
    },
    answered() {
      isDown = false;
    },
    failed(forMs) {
      if (forMs === 0 && !isDown) return;
      isDown = true;
      until = now() + forMs;
    },
    isDown: () => isDown,
  };
}
