import type { Clock } from '../../platform/clock.ts';
import {
  batchCall,
  batchValues,
  bigint,
  bytea,
  enumOf,
  integer,
  text,
  timestamptz,
  uuid,
  type Columns,
} from '../../platform/database/batch-call.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import { newId } from '../../platform/ids.ts';
import type { Transition, OpenCase, TransitionStep } from '../model/transition.ts';
import type { Payout, PayoutState } from '../model/payout.ts';
import { entryColumns, placeEntries, type NewTransfer } from './entries.ts';

/** A later commit of a payout, and the payout as its caller read it. */
export interface PayoutTransition {
  payout: Payout;
  transition: Transition;
}

/** With the ids of what it writes. */
interface NewTransition extends PayoutTransition {
  activityId: string | null;
}

const transitionColumns = {
  partner_ids: uuid(({ payout }) => payout.partnerId),
  environments: enumOf<Payout['environment']>('environment')(({ payout }) => payout.environment),
  payout_ids: uuid(({ payout }) => payout.id),
  from_revisions: integer(({ payout }) => payout.revision),
  instants: timestamptz(({ transition }) => transition.at),
  actors: text(({ transition }) => transition.by),
  now_attempts: integer(({ transition }) => transition.bankFacts.attempts),
  now_bank_payment_ids: text(({ transition }) => transition.bankFacts.bankPaymentId),
  now_bank_states: text(({ transition }) => transition.bankFacts.bankState),
  now_bank_debited_micro_usdc: bigint(({ transition }) => transition.bankFacts.bankDebited),
  now_bank_refunded_micro_usdc: bigint(({ transition }) => transition.bankFacts.bankRefunded),
  now_failure_codes: text(({ transition }) => transition.bankFacts.failure?.code),
  now_failure_reasons: text(({ transition }) => transition.bankFacts.failure?.reason),
  lease_actions: text(({ transition }) => transition.schedule.kind),
  next_due_ats: timestamptz(({ transition }) =>
    transition.schedule.kind === 'watch' ? transition.schedule.dueAt : null,
  ),
  activity_ids: uuid(({ activityId }) => activityId),
  activity_actions: text(({ transition }) => transition.activity?.action),
  activity_statuses: integer(({ transition }) => transition.activity?.status),
  activity_actors: text(({ transition }) => transition.activity?.by),
  recipients_encrypted: bytea(({ transition }) => transition.recipientEncrypted),
} satisfies Columns<NewTransition>;

/** Where a payout stands in its batch, from 1. */
interface Placed {
  place: number;
}

interface PlacedStep extends TransitionStep, Placed {
  number: number;
  transferId: string | null;
}

const stepColumns = {
  step_places: integer(({ place }) => place),
  step_numbers: integer(({ number }) => number),
  step_states: enumOf<PayoutState>('payout_state')(({ to }) => to),
  step_whats: text(({ what }) => what),
  step_details: text(({ detail }) => detail),
  step_transfers: uuid(({ transferId }) => transferId),
} satisfies Columns<PlacedStep>;

interface PlacedCase extends OpenCase, Placed {
  id: string;
}

const caseColumns = {
  case_places: integer(({ place }) => place),
  case_ids: uuid(({ id }) => id),
  case_kinds: text(({ kind }) => kind),
  case_details: text(({ detail }) => detail),
} satisfies Columns<PlacedCase>;

const pauseColumns = {
  pause_places: integer(({ place }) => place),
  pause_reasons: text(({ reason }) => reason),
} satisfies Columns<Placed & { reason: string }>;

const forgetColumns = { forget_places: integer(({ place }) => place) } satisfies Columns<Placed>;
const freeColumns = { free_places: integer(({ place }) => place) } satisfies Columns<Placed>;

export const applyTransitionsCall = batchCall(
  'apply_transitions',
  transitionColumns,
  stepColumns,
  caseColumns,
  pauseColumns,
  forgetColumns,
  freeColumns,
  entryColumns,
);

/** A transfer is posted at the instant that the payout shows: an invoice goes by the one, and a reader by the other. */
function placeSteps(batch: readonly PayoutTransition[]): PlacedStep[] {
  return batch.flatMap(({ transition: { steps, at } }, index) =>
    steps.map((step, nth) => ({
      ...step,
      place: index + 1,
      number: nth + 1,
      transferId: step.lines.length === 0 ? null : newId({ now: () => at }),
    })),
  );
}

function transfersOf(steps: readonly PlacedStep[] = []): NewTransfer[] {
  return steps.flatMap(({ transferId, what, lines }) =>
    transferId === null ? [] : [{ id: transferId, reason: `payout.${what}`, lines }],
  );
}

function placesWhere(
  batch: readonly PayoutTransition[],
  has: (transition: Transition) => boolean | undefined,
): Placed[] {
  return batch.flatMap(({ transition }, at) => (has(transition) === true ? [{ place: at + 1 }] : []));
}

/**
 * Later commits of payouts, in one round trip. One payout is a batch of one. Says of each whether it was done: not where
 * the payout has changed since its caller read it.
 */
export async function applyTransitions(
  calls: Pick<SingleCalls, 'call'>,
  clock: Clock,
  batch: readonly PayoutTransition[],
): Promise<boolean[]> {
  const transitions = batch.map(({ payout, transition }): NewTransition => {
    const activityId = transition.activity === undefined ? null : (transition.activity.requestId ?? newId(clock));
    return { payout, transition, activityId };
  });
  const steps = placeSteps(batch);
  const stepsAt = Map.groupBy(steps, ({ place }) => place);
  const cases = batch.flatMap(({ transition: { openCase } }, at) =>
    openCase === undefined ? [] : [{ ...openCase, place: at + 1, id: newId(clock) }],
  );
  const pauses = placesWhere(batch, ({ blockPartner }) => blockPartner).map(({ place }) => ({
    place,
    reason: batch[place - 1]?.transition.openCase?.kind ?? 'paused',
  }));
  const rows = await calls.call<{ place: number; is_applied: boolean }>(applyTransitionsCall, [
    ...batchValues(transitionColumns, transitions),
    ...batchValues(stepColumns, steps),
    ...batchValues(caseColumns, cases),
    ...batchValues(pauseColumns, pauses),
    ...batchValues(
      forgetColumns,
      placesWhere(batch, ({ forgetRecipient }) => forgetRecipient),
    ),
    ...batchValues(
      freeColumns,
      placesWhere(batch, ({ freeKey }) => freeKey),
    ),
    ...batchValues(entryColumns, placeEntries(batch.map((_, at) => transfersOf(stepsAt.get(at + 1))))),
  ]);
  const isApplied = new Map(rows.map((row) => [row.place, row.is_applied]));
  return batch.map((_, at) => isApplied.get(at + 1) === true);
}
