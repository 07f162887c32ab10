import type { Clock } from '../../platform/clock.ts';
import { wasUndone, type SingleCalls } from '../../platform/database/single-call.ts';
import { tooBusy } from '../../platform/database/too-busy.ts';
import { createMicroBatch } from '../../platform/micro-batch.ts';
import {
  insertPayout,
  insertPayouts,
  isPlain,
  isPlainNew,
  movePayout,
  movePayouts,
  type InsertOutcome,
  type Moving,
  type NewPayout,
} from './store.ts';

/** The commits that make a payout and take it further. Each is whole when it is answered, and as if it had been alone. */
export interface Commits {
  /** The first commit. */
  insert(made: NewPayout): Promise<InsertOutcome>;
  /** Any later one. False where the payout has changed since it was read: then nothing was done. */
  move(moving: Moving): Promise<boolean>;
}

/** `atOnce` is how many go into one commit of the database at most, where many wait; 1 writes each alone. */
export function createCommits(calls: SingleCalls, clock: Clock, atOnce: number): Commits {
  const insertAlone = async (made: NewPayout) => insertPayout(calls, made);
  const moveAlone = async (moving: Moving) => movePayout(calls, clock, moving);
  if (atOnce === 1) return { insert: insertAlone, move: moveAlone };
  const rules = { size: atOnce, eager: false, didNothing: wasUndone, tooMany: tooBusy };
  const moveTogether = createMicroBatch<Moving, boolean>({
    ...rules,
    keyOf: ({ payout }) => payout.id,
    together: async (batch) => movePayouts(calls, clock, batch),
    alone: moveAlone,
  });
  const insertTogether = createMicroBatch<NewPayout, InsertOutcome>({
    ...rules,
    keyOf: ({ payout }) => payout.orderId,
    together: async (batch) => insertPayouts(calls, batch),
    alone: insertAlone,
  });
  return {
    insert: async (made) => (isPlainNew(made) ? insertTogether(made) : insertAlone(made)),
    move: async (moving) => (isPlain(moving.move) ? moveTogether(moving) : moveAlone(moving)),
  };
}
