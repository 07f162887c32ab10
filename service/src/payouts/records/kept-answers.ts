import { setTimeout as wait } from 'node:timers/promises';
import type { WriteGate } from '../../platform/database/write-gate.ts';
import type { PayoutTransition } from './apply-transitions.ts';

interface KeptDeps {
  applyTransition: (answer: PayoutTransition) => Promise<boolean>;
  writeGate: Pick<WriteGate, 'untilOpen'>;
}

/** More are left to the lease of their payouts: a worker then looks for them at the bank. */
const mostKept = 10_000;
const retryMs = 1_000;
/** By then a worker has long taken over. */
const mostTries = 60;

/**
 * Keeps what the bank answered while it could not be recorded, and records it once writes are confirmed again: so the bank is
 * not asked a second time. A transition names the revision that it builds on. One that was recorded after all, or that another
 * was quicker with, changes nothing when it is tried again.
 */
export function createKeptAnswers({ applyTransition, writeGate }: KeptDeps): (answer: PayoutTransition) => void {
  const kept = new Map<string, PayoutTransition>();
  const noEnd = new AbortController().signal;
  let isRecording = false;

  const record = async (answer: PayoutTransition): Promise<void> => {
    await applyTransition(answer);
    kept.delete(answer.payout.id);
  };
  const recordAll = async (): Promise<void> => {
    for (let tries = 0; kept.size > 0 && tries < mostTries; tries += 1) {
      await writeGate.untilOpen(noEnd);
      await Promise.allSettled([...kept.values()].map(record));
      if (kept.size > 0) await wait(retryMs, undefined, { ref: false });
    }
    kept.clear();
    isRecording = false;
  };
  return (answer) => {
    if (kept.size >= mostKept) return;
    kept.set(answer.payout.id, answer);
    if (isRecording) return;
    isRecording = true;
    void recordAll();
  };
}
