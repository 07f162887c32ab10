import { ledgerEvents } from '../../ledger/index.ts';
import type { PayoutDeps } from '../lifecycle/deps.ts';
import type { Payout } from '../model/payout.ts';
import type { Transition, TransitionStep } from '../model/transition.ts';

/** The bank does not have it, and it is never sent again: its hold goes back to the wallet. */
export async function settleAbsent(deps: PayoutDeps, payout: Payout, by: string): Promise<boolean> {
  const at = deps.clock.now();
  const transition: Transition = { at, by, ...endOf(payout), schedule: { kind: 'close' } };
  return deps.commits.applyTransition({ payout, transition });
}

/** Its caller may have got 502 after the backup, or no answer. A partner that has seen it sees that it failed. */
function endOf({ state, walletDebit, createdBy }: Payout): Pick<Transition, 'steps' | 'bankFacts' | 'activity'> {
  const lines = ledgerEvents.released({ held: walletDebit });
  if (state === 'sending') {
    const steps: TransitionStep[] = [{ to: 'not_created', what: 'not_created', detail: 'not at the bank', lines }];
    const activity = { action: 'payout.create', requestId: null, status: null, by: createdBy } as const;
    return { steps, bankFacts: {}, activity };
  }
  const steps: TransitionStep[] = [{ to: 'failed', what: 'released', detail: 'not at the bank', lines }];
  const failure = { code: 'unknown', reason: 'The payment did not reach the bank.' } as const;
  return { steps, bankFacts: { failure } };
}
