import { setTimeout as wait } from 'node:timers/promises';
import { requireControls, type ControlOutcome, type PaymentFailure, type SandboxControls } from '../../banks/index.ts';
import type { Archive } from '../../archive/index.ts';
import { ApiError } from '../../platform/api-error.ts';
import type { PartnerContext } from '../../platform/database/transaction.ts';
import type { VisiblePayout } from '../model/payout.ts';
import { readPayout } from '../reading/read-payouts.ts';
import { findPayout } from '../records/payout-store.ts';
import type { PayoutDeps } from './deps.ts';
import { resumePayout } from './resume-payout.ts';

export type SandboxStep =
  | { kind: 'advance' | 'hold' }
  /** A failure that makes a payout failed, and not returned, however late we hear of it. */
  | { kind: 'fail'; failure: Exclude<PaymentFailure, 'recalled' | 'recipient_declined'> }
  | { kind: 'return'; failure: PaymentFailure };

export interface StepDeps extends PayoutDeps {
  archive: Archive;
  /** Null where the bank is the provider's own sandbox. */
  controls: SandboxControls | null;
}

type Status = VisiblePayout['state'];

/** Less than a request may take in all. */
const patienceMs = 6_000;
const pauseMs = 100;

/** What each step makes of a payout that the bank has. */
const goals: Readonly<Record<SandboxStep['kind'], Status>> = {
  advance: 'completed',
  hold: 'processing',
  fail: 'failed',
  return: 'returned',
};

/** Where a step begins. One whose outcome is not known yet is looked up at the bank first. */
const open: readonly Status[] = ['pending', 'processing'];
const startsFrom: Readonly<Record<SandboxStep['kind'], readonly Status[]>> = {
  advance: open,
  hold: open,
  fail: open,
  return: [...open, 'completed'],
};

/** Completes "A completed payout cannot …". */
const verbs: Readonly<Record<SandboxStep['kind'], string>> = {
  advance: 'advance',
  hold: 'be held',
  fail: 'fail',
  return: 'be returned',
};

function stepsFrom(status: Status): string {
  if (status === 'completed') return 'Use return.';
  return open.includes(status) ? 'Use advance, fail, return or hold.' : 'It is final: create another payout.';
}

function refused(step: SandboxStep, status: Status): ApiError {
  const article = /^[aeiou]/.test(status) ? 'An' : 'A';
  const message = `${article} ${status} payout cannot ${verbs[step.kind]}. ${stepsFrom(status)}`;
  return new ApiError({ code: 'sandbox_step_refused', message });
}

function tooOld(): ApiError {
  const message = 'This payout is too old to be changed. Create another payout.';
  return new ApiError({ code: 'sandbox_step_refused', message });
}

function notAtBank(): ApiError {
  const message =
    'The bank does not have this pending payout yet. Clear what you asked the bank to answer with {"answers":"normal"}, and retry in a few seconds.';
  return new ApiError({ code: 'sandbox_step_refused', message });
}

function notAnswered(internal: string): ApiError {
  const message = 'The sandbox bank did not answer in time. Retrieve the payout, and retry.';
  return new ApiError({ code: 'unavailable', message, internal, retryAfterSeconds: 1 });
}

/** Makes the bank do the next thing with a payout, and answers once the payout shows it. */
export async function stepInSandbox(
  deps: StepDeps,
  of: PartnerContext,
  { payoutId, step }: { payoutId: string; step: SandboxStep },
): Promise<VisiblePayout> {
  const giveUpAt = performance.now() + patienceMs;
  const payout = await readPayout(deps, of, payoutId);
  if (deps.archive.mayHold(payoutId) && (await findPayout(deps.calls, of, payoutId)) === null) throw tooOld();
  const controls = requireControls(deps.controls, { hasBank: payout.rail !== 'simulated' });
  if (!startsFrom[step.kind].includes(payout.state)) throw refused(step, payout.state);
  const stepping = { deps, controls, of, giveUpAt, step };
  if (payout.state !== 'pending') return perform(stepping, payout);
  const confirmed = await confirm(stepping, payout);
  return step.kind === 'advance' ? confirmed : perform(stepping, confirmed);
}

interface Stepping {
  deps: StepDeps;
  controls: SandboxControls;
  of: PartnerContext;
  step: SandboxStep;
  giveUpAt: number;
}

/** The payout once the bank was asked about it, and its status is as wanted. Null where it isn't before the time is over. */
async function until(
  { deps, of, giveUpAt }: Stepping,
  { id: payoutId, paymentId }: { id: string; paymentId: string | null },
  isWanted: (status: Status) => boolean,
): Promise<VisiblePayout | null> {
  for (;;) {
    // A worker may be about it too: whoever is slower changes nothing.
    await resumePayout(deps, { ...contextOf(of), payoutId, webhookPaymentId: paymentId });
    const payout = await readPayout(deps, of, payoutId);
    if (isWanted(payout.state)) return payout;
    if (performance.now() > giveUpAt) return null;
    await wait(pauseMs);
  }
}

function contextOf({ partnerId, environment }: PartnerContext): PartnerContext {
  return { partnerId, environment };
}

/** The bank may have a payout whose answer was lost. Then it says so now. */
async function confirm(stepping: Stepping, payout: VisiblePayout): Promise<VisiblePayout> {
  const revealed = await stepping.controls.revealPayment(payout.orderId);
  if (revealed.kind === 'failed') throw notAnswered(revealed.text);
  if (revealed.kind === 'absent') throw notAtBank();
  const { paymentId } = revealed;
  const confirmed = await until(stepping, { id: payout.id, paymentId }, (status) => status !== 'pending');
  if (confirmed === null) throw notAnswered('a payout that the bank has is still pending');
  return confirmed;
}

/** Of a payout that the bank has. */
async function perform(stepping: Stepping, payout: VisiblePayout): Promise<VisiblePayout> {
  const { controls, step } = stepping;
  const { bankPaymentId: paymentId } = payout;
  if (paymentId === null) throw refused(step, payout.state);
  switch (step.kind) {
    case 'advance':
      return settle(stepping, payout, await controls.settlePayment(paymentId));
    case 'hold':
      return settle(stepping, payout, await controls.holdPayment(paymentId));
    case 'fail':
      return settle(stepping, payout, await controls.failPayment(paymentId, step.failure));
    case 'return': {
      const arrived = payout.state === 'completed' ? payout : await perform(arriving(stepping), payout);
      return settle(stepping, arrived, await controls.returnPayment(paymentId, step.failure));
    }
  }
}

/** It arrives before it can come back. */
function arriving(stepping: Stepping): Stepping {
  return { ...stepping, step: { kind: 'advance' } };
}

/** The payout as the bank's act has made it. What the bank refused may have happened by itself meanwhile. */
async function settle(stepping: Stepping, payout: VisiblePayout, outcome: ControlOutcome): Promise<VisiblePayout> {
  const { step } = stepping;
  if (outcome.kind === 'failed') throw notAnswered(outcome.text);
  const goal = goals[step.kind];
  const giveUpAt = outcome.kind === 'refused' ? performance.now() : stepping.giveUpAt;
  const changed = await until(
    { ...stepping, giveUpAt },
    { id: payout.id, paymentId: null },
    (status) => status === goal,
  );
  if (changed !== null && (outcome.kind === 'done' || step.kind !== 'hold')) return changed;
  if (outcome.kind === 'done') throw notAnswered('the bank did it, and the payout does not show it');
  throw refused(step, (await readPayout(stepping.deps, stepping.of, payout.id)).state);
}
