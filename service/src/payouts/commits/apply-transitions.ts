import type { Clock } from '../../platform/clock.ts';
import {
  batchCall,
  batchValues,
  bigint,
  enumOf,
  integer,
  text,
  timestamptz,
  uuid,
  type Columns,
} from '../../platform/database/batch-call.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import { newId } from '../../platform/ids.ts';
import type { Move, OpenCase, Step } from '../move.ts';
import type { Payout, PayoutState } from '../payout.ts';
import { entryColumns, placeEntries, type NewTransfer } from './entries.ts';

/** A later commit of a payout, and the payout as its caller read it. */
export interface Moving {
  payout: Payout;
  move: Move;
}

/** With the ids of what it writes. */
interface NewTransition extends Moving {
  activityId: string | null;
}

const transitionColumns = {
  partner_ids: uuid(({ payout }) => payout.partnerId),
  environments: enumOf<Payout['environment']>('environment')(({ payout }) => payout.environment),
  payout_ids: uuid(({ payout }) => payout.id),
  from_revisions: integer(({ payout }) => payout.revision),
  instants: timestamptz(({ move }) => move.at),
  actors: text(({ move }) => move.by),
  now_attempts: integer(({ move }) => move.learned.attempts),
  now_bank_payment_ids: text(({ move }) => move.learned.bankPaymentId),
  now_bank_states: text(({ move }) => move.learned.bankState),
  now_bank_took_micro_usdc: bigint(({ move }) => move.learned.bankTook),
  now_bank_refunded_micro_usdc: bigint(({ move }) => move.learned.bankRefunded),
  now_failure_codes: text(({ move }) => move.learned.failure?.code),
  now_failure_reasons: text(({ move }) => move.learned.failure?.reason),
  lease_actions: text(({ move }) => move.afterwards.kind),
  next_due_ats: timestamptz(({ move }) => (move.afterwards.kind === 'watch' ? move.afterwards.dueAt : null)),
  activity_ids: uuid(({ activityId }) => activityId),
  activity_actions: text(({ move }) => move.activity?.action),
  activity_statuses: integer(({ move }) => move.activity?.status),
  activity_actors: text(({ move }) => move.activity?.by),
  known_recipient_ids: text(({ move }) => move.knownRecipientId),
} satisfies Columns<NewTransition>;

/** Where a payout stands in its batch, from 1. */
interface Placed {
  place: number;
}

interface PlacedStep extends Step, Placed {
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
function placeSteps(batch: readonly Moving[]): PlacedStep[] {
  return batch.flatMap(({ move: { steps, at } }, index) =>
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

function placesWhere(batch: readonly Moving[], has: (move: Move) => boolean | undefined): Placed[] {
  return batch.flatMap(({ move }, at) => (has(move) === true ? [{ place: at + 1 }] : []));
}

/**
 * Later commits of payouts, in one round trip. One payout is a batch of one. Says of each whether it was done: not where
 * the payout has changed since its caller read it.
 */
export async function applyTransitions(calls: SingleCalls, clock: Clock, batch: readonly Moving[]): Promise<boolean[]> {
  const transitions = batch.map(({ payout, move }): NewTransition => {
    const activityId = move.activity === undefined ? null : (move.activity.requestId ?? newId(clock));
    return { payout, move, activityId };
  });
  const steps = placeSteps(batch);
  const stepsAt = Map.groupBy(steps, ({ place }) => place);
  const cases = batch.flatMap(({ move: { openCase } }, at) =>
    openCase === undefined ? [] : [{ ...openCase, place: at + 1, id: newId(clock) }],
  );
  const pauses = placesWhere(batch, ({ pauseRail }) => pauseRail).map(({ place }) => ({
    place,
    reason: batch[place - 1]?.move.openCase?.kind ?? 'paused',
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
