import type { Clock } from '../../platform/clock.ts';
import { raisedBy, wasUndone, type SingleCalls } from '../../platform/database/single-call.ts';
import { sqlStates } from '../../platform/database/sql-states.ts';
import { tooBusy } from '../../platform/database/too-busy.ts';
import { createMicroBatch } from '../../platform/micro-batch.ts';
import { applyTransitions, type PayoutTransition } from './apply-transitions.ts';
import { createPayouts, type CreateOutcome, type NewPayout } from './create-payouts.ts';

/** The commits that create a payout and take it further. Each is whole when it is answered, and as if it had been alone. */
export interface Commits {
  /** The first commit. `rail_changed`: the partner has left the rail that this payout was made for. */
  create(made: NewPayout): Promise<CreateOutcome | { kind: 'rail_changed' }>;
  /** Any later one. False where the payout has changed since it was read: then nothing was done. */
  applyTransition(payoutTransition: PayoutTransition): Promise<boolean>;
}

/** How many payouts go into one commit of the database at most. */
const mostAtOnce = 64;

/** One that fails at once gives back in the same commit: its wallet has to be asked after it, not beside it. */
function onlyTakes({ transfers }: NewPayout): boolean {
  return transfers.slice(1).every(({ lines }) => lines.every(({ account }) => account !== 'wallet'));
}

/** Gathers what arrives while the database is busy into one commit. */
export function createCommits(calls: SingleCalls, clock: Clock, atOnce = mostAtOnce): Commits {
  const rules = { size: atOnce, eager: false, didNothing: wasUndone, tooMany: tooBusy };
  const createTogether = createMicroBatch<NewPayout, CreateOutcome>({
    ...rules,
    keyOf: ({ payout }) => payout.orderId,
    together: async (batch) => createPayouts(calls, batch),
  });
  const applyTogether = createMicroBatch<PayoutTransition, boolean>({
    ...rules,
    keyOf: ({ payout }) => payout.id,
    together: async (batch) => applyTransitions(calls, clock, batch),
  });
  const createAlone = async (made: NewPayout): Promise<CreateOutcome> => {
    const [outcome] = await createPayouts(calls, [made]);
    if (outcome === undefined) throw new Error('a batch of one has one outcome');
    return outcome;
  };
  return {
    async create(made) {
      try {
        return await (onlyTakes(made) ? createTogether(made) : createAlone(made));
      } catch (error) {
        if (raisedBy(error)?.code === sqlStates.railChanged) return { kind: 'rail_changed' };
        throw error;
      }
    },
    applyTransition: applyTogether,
  };
}
