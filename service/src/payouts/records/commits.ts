import type { Clock } from '../../platform/clock.ts';
import { raisedBy, wasUndone, type SingleCalls } from '../../platform/database/single-call.ts';
import { sqlStates } from '../../platform/database/sql-states.ts';
import { tooBusy } from '../../platform/database/too-busy.ts';
import { CommitUncertain, writesRefused } from '../../platform/database/unavailable.ts';
import { createMicroBatch } from '../../platform/micro-batch.ts';
import { noWakeSender, type WakeSender } from '../../platform/wake-ups/wake-sender.ts';
import { isVisibleState } from '../model/payout.ts';
import { applyTransitions, type PayoutTransition } from './apply-transitions.ts';
import { createPayouts, type CreateOutcome, type NewPayout } from './create-payouts.ts';
import { createKeptAnswers } from './kept-answers.ts';
import { noPayoutMetrics, type PayoutMetrics } from './payout-metrics.ts';
import { findPayout } from './payout-store.ts';

/** The commits that create a payout and take it further. Each is whole when it is answered, and as if it had been alone. */
export interface Commits {
  /** The first commit. `rail_changed`: the partner has left the rail that this payout was made for. */
  create(made: NewPayout): Promise<CreateOutcome | { kind: 'rail_changed' }>;
  /** Any later one. False where the payout has changed since it was read: then nothing was done. */
  applyTransition(payoutTransition: PayoutTransition): Promise<boolean>;
  /**
   * The same for what the bank answered to an order. Where the database is away, the answer is kept in this process and recorded
   * once writes are confirmed: the caller learns of the outage, and the bank is not asked again.
   */
  recordAnswer(payoutTransition: PayoutTransition): Promise<boolean>;
}

/** How many payouts go into one commit of the database at most. */
const mostAtOnce = 64;

/** One that fails at once gives back in the same commit: its wallet has to be asked after it, not beside it. */
function onlyTakes({ transfers }: NewPayout): boolean {
  return transfers.slice(1).every(({ lines }) => lines.every(({ account }) => account !== 'wallet'));
}

async function createAlone(counted: CountedCalls, made: NewPayout): Promise<CreateOutcome> {
  const [outcome] = await createCounted(counted, [made]);
  if (outcome === undefined) throw new Error('a batch of one has one outcome');
  return outcome;
}

/** How long an outcome that is unknown is waited for. Who asked is told by then that it is, and asks again. */
const resolvedWithinMs = 8_000;

interface CountedCalls {
  calls: SingleCalls;
  metrics: PayoutMetrics;
}

async function createCounted({ calls, metrics }: CountedCalls, batch: readonly NewPayout[]): Promise<CreateOutcome[]> {
  const outcomes = await createPayouts(calls, batch);
  for (const [place, { payout }] of batch.entries())
    if (outcomes[place]?.kind === 'created') metrics.entered(payout, payout.state, payout.updatedAt);
  return outcomes;
}

/** Counts each state that a transition led to from another one. */
async function applyCounted(
  { calls, metrics }: CountedCalls,
  clock: Clock,
  batch: readonly PayoutTransition[],
): Promise<boolean[]> {
  const applied = await applyTransitions(calls, clock, batch);
  for (const [place, { payout, transition }] of batch.entries()) {
    let { state } = payout;
    for (const { to } of applied[place] === true ? transition.steps : []) {
      if (to !== state) metrics.entered(payout, to, transition.at);
      state = to;
    }
  }
  return applied;
}

interface CommitOptions {
  atOnce?: number;
  wakes?: Pick<WakeSender, 'wake'>;
  /** Where the outcome of a commit was uncertain, a state may be left out. */
  metrics?: PayoutMetrics;
  /** How long a transition waits for others, where nobody waits for its answer. */
  gatherMs?: number;
}

/** Gathers what arrives while the database is busy into one commit. */
export function createCommits(
  calls: SingleCalls,
  clock: Clock,
  { atOnce = mostAtOnce, wakes = noWakeSender, metrics = noPayoutMetrics, gatherMs = 0 }: CommitOptions = {},
): Commits {
  const { writeGate } = calls;
  // Those that wait behind a batch that hangs would learn it only with that batch.
  const refusal = (): Error | undefined => (writeGate.isOpen() ? undefined : writesRefused());
  const rules = { size: atOnce, eager: false, didNothing: wasUndone, tooMany: tooBusy, refusal };
  const createTogether = createMicroBatch<NewPayout, CreateOutcome>({
    name: 'create_payouts',
    ...rules,
    keyOf: ({ payout }) => payout.orderId,
    async together(batch) {
      const outcomes = await createCounted({ calls, metrics }, batch);
      if (batch.some(({ payout }) => isVisibleState(payout.state))) wakes.wake('events');
      return outcomes;
    },
  });
  const applyTogether = createMicroBatch<PayoutTransition, boolean>({
    name: 'apply_transitions',
    ...rules,
    gatherMs,
    keyOf: ({ payout }) => payout.id,
    async together(batch) {
      const applied = await applyCounted({ calls, metrics }, clock, batch);
      wakes.wake('events');
      return applied;
    },
  });
  /** Only a later write that is confirmed proves that what is seen now stays. */
  const untilConfirmed = async (cause: unknown): Promise<void> =>
    writeGate.untilOpen(AbortSignal.timeout(resolvedWithinMs)).catch(() => {
      throw cause;
    });
  /** The commit may have happened, and may still be on its way. A repeat waits for it, and finds its key taken. */
  const resolveCreation = async (made: NewPayout, cause: CommitUncertain): Promise<CreateOutcome> => {
    await untilConfirmed(cause);
    const outcome = await createAlone({ calls, metrics }, made);
    if (outcome.kind !== 'taken') return outcome;
    const found = await findPayout(calls, made.payout, made.payout.id);
    // Where another has it in hand by now, it is no longer ours to send.
    if (found === null || found.revision !== 1) return outcome;
    const { bankRound, firstTriedAt, bankRecipientEncrypted, isDuplicateSuspected } = found;
    return { kind: 'created', bankRound, firstTriedAt, bankRecipientEncrypted, isDuplicateSuspected };
  };
  const create = async (made: NewPayout): Promise<CreateOutcome> => {
    try {
      return await (onlyTakes(made) ? createTogether(made) : createAlone({ calls, metrics }, made));
    } catch (error) {
      if (!(error instanceof CommitUncertain)) throw error;
      return resolveCreation(made, error);
    }
  };
  const applyTransition = async (payoutTransition: PayoutTransition): Promise<boolean> => {
    try {
      return await applyTogether(payoutTransition);
    } catch (error) {
      if (writeGate.isOpen() && !(error instanceof CommitUncertain)) throw error;
      // The bank has answered. A repeat is refused where the first try was committed: the revision is another then.
      await untilConfirmed(error);
      return applyTogether(payoutTransition);
    }
  };
  const keepAnswer = createKeptAnswers({ applyTransition: applyTogether, writeGate });
  return {
    async create(made) {
      try {
        return await create(made);
      } catch (error) {
        if (raisedBy(error)?.code === sqlStates.railChanged) return { kind: 'rail_changed' };
        throw error;
      }
    },
    applyTransition,
    recordAnswer: async (answer) =>
      applyTransition(answer).catch((error: unknown) => {
        // What the database refuses for what it is, it refuses again.
        if (!wasUndone(error)) keepAnswer(answer);
        throw error;
      }),
  };
}
