import { ledgerEvents } from '../../ledger/index.ts';
import type { Payout } from '../model/payout.ts';
import type { Transition } from '../model/transition.ts';

/**
 * The end of a payout that the bank's list proves absent: its hold goes back to the wallet. A partner that has seen it sees
 * that it failed. One that nobody has seen leaves its key to be tried again, and nobody waits for its answer any more.
 */
export function endAbsent({
  state,
  walletDebit,
  createdBy,
}: Payout): Pick<Transition, 'steps' | 'bankFacts' | 'schedule' | 'activity'> {
  const isSeen = state !== 'sending';
  const lines = ledgerEvents.released({ held: walletDebit });
  const failure = { code: 'unknown', reason: 'The bank did not receive the payment.' } as const;
  return {
    steps: [{ to: isSeen ? 'failed' : 'not_created', what: 'released', detail: 'not at the bank', lines }],
    bankFacts: isSeen ? { failure } : {},
    schedule: { kind: 'close' },
    ...(isSeen ? {} : { activity: { action: 'payout.create', requestId: null, status: null, by: createdBy } }),
  };
}
