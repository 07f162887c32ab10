/** What a move does, in order. docs/cells.md says what each step is for. */
export const moveSteps = [
  'prepare',
  'copy',
  'compare',
  'hold',
  'freeze',
  'catch_up',
  'verify',
  'switch',
  'close',
  'thaw',
  'release',
] as const;

export type MoveStep = (typeof moveSteps)[number];
export type MoveState = MoveStep | 'done' | 'abort' | 'aborted';

export function isMoveStep(text: string): text is MoveStep {
  return moveSteps.some((step) => step === text);
}

export function stepAfter(step: MoveStep): MoveStep | 'done' {
  return moveSteps[moveSteps.indexOf(step) + 1] ?? 'done';
}

/** Up to the switch, a move can be aborted. After it the partner lives in the other cell, and a move only goes forward. */
export function canAbort(state: MoveState): boolean {
  return isMoveStep(state) && moveSteps.indexOf(state) <= moveSteps.indexOf('switch');
}

/** Whether requests of the partner are held while this is done. */
export function isHeldIn(step: MoveStep): boolean {
  return moveSteps.indexOf(step) >= moveSteps.indexOf('hold');
}

/** Where copying goes on: the pass, the table and the last key of it. */
export interface CopyPosition {
  /** Rows of transactions that were over by then have been copied; null in the first pass. */
  since: string | null;
  /** The same for the pass after this one. */
  nextSince: string;
  table: number;
  after: string | null;
}

export interface PartnerMove {
  id: string;
  partnerId: string;
  fromCell: string;
  toCell: string;
  state: MoveState;
  attempt: string;
  position: CopyPosition | null;
  /** For how long requests of the partner have been held. */
  heldMs: number | null;
  /** For how long they were held in all, once they are released. */
  freezeMs: number | null;
}

/** The move cannot go on, for a reason that is known. */
export class MoveRefused extends Error {
  override readonly name = 'MoveRefused';
}
