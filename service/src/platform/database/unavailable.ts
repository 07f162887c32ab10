import { ApiError } from '../api-error.ts';
import { databaseStateOf, mayBeCommitted, stopsWrites, type DatabaseState } from './database-state.ts';
import { retryLater, tooBusy } from './too-busy.ts';
import type { WriteGate } from './write-gate.ts';

/** The database did not do what was asked. What the request did before stays: so nothing is claimed of that. */
export function databaseUnavailable(state: DatabaseState, cause?: unknown): ApiError {
  return new ApiError({
    code: 'unavailable',
    message: `Kelpie is temporarily unavailable. ${retryLater}`,
    internal: state,
    cause,
  });
}

/** While the gate is closed. */
export function writesRefused(): ApiError {
  return new ApiError({
    code: 'unavailable',
    message: `Kelpie cannot save changes right now. ${retryLater}`,
    internal: 'writes_refused',
  });
}

/** The commit may or may not have happened. The caller must find out, or repeat what is safe to repeat. */
export class CommitUncertain extends Error {
  override readonly name = 'CommitUncertain';
  /** What it met. */
  readonly code: DatabaseState;

  constructor(state: DatabaseState, cause?: unknown) {
    super('the outcome of a commit is unknown', { cause });
    this.code = state;
  }
}

/** For a caller. It never says that nothing was sent. */
export function commitUncertain(error: CommitUncertain): ApiError {
  return new ApiError({
    code: 'unavailable',
    message: `Kelpie could not confirm this request. It may have taken effect. ${retryLater}`,
    internal: error.code,
    cause: error,
  });
}

/** No connection, so nothing was asked. */
export function refuseConnection(gate: WriteGate, cause: unknown): ApiError {
  const state = databaseStateOf(cause);
  if (state === undefined || state === 'database_connections_in_use') return tooBusy(cause);
  if (stopsWrites(state)) gate.close();
  return databaseUnavailable(state, cause);
}

interface Failed {
  /** Whether it was to write. */
  writes: boolean;
  /** Whether it failed while it was being committed, so that nobody knows. */
  isCommit: boolean;
}

/**
 * What is thrown for a statement that failed. Where that was for want of the database, callers are told 503, and the gate is
 * closed if further writes would fail as well.
 */
export function refuseStatement(gate: WriteGate, error: unknown, { writes, isCommit }: Failed): unknown {
  if (error instanceof CommitUncertain) {
    gate.close();
    return error;
  }
  const state = databaseStateOf(error);
  // Busy is left as it is: some callers wait and ask again.
  if (state === undefined || state === 'database_busy') return error;
  if (writes && stopsWrites(state)) gate.close();
  return isCommit && mayBeCommitted(error) ? new CommitUncertain(state, error) : databaseUnavailable(state, error);
}
