import { setTimeout as wait } from 'node:timers/promises';
import { ApiError } from '../../platform/api-error.ts';
import { databaseStateOf, type DatabaseState } from '../../platform/database/database-state.ts';
import { CommitUncertain } from '../../platform/database/unavailable.ts';
import type { Logger } from '../../platform/logging.ts';

const shortestPauseMs = 250;
const longestPauseMs = 5_000;

/** A host that nobody knows is a wrong setting. Everything else that is away may come back. */
function isUnknownHost(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOTFOUND';
}

/** What the database is waited for, or undefined where waiting would not help. */
function awaitedStateOf(error: unknown): DatabaseState | undefined {
  if (error instanceof CommitUncertain) return error.code;
  const cause = error instanceof ApiError ? error.cause : error;
  return isUnknownHost(cause) ? undefined : databaseStateOf(cause);
}

/**
 * Repeats the first steps of a process until the database serves them, and says why it waits. A wrong role or setting still
 * ends the process. Any signal ends one that waits.
 */
export async function untilDatabaseServes<Result>(logger: Logger, step: () => Promise<Result>): Promise<Result> {
  const startedAt = performance.now();
  let awaited: DatabaseState | undefined;
  for (let pauseMs = shortestPauseMs; ; pauseMs = Math.min(longestPauseMs, pauseMs * 2)) {
    try {
      const result = await step();
      const duration_ms = Math.round(performance.now() - startedAt);
      if (awaited !== undefined) logger.info({ duration_ms }, 'database.serves');
      return result;
    } catch (error) {
      const state = awaitedStateOf(error);
      if (state === undefined) throw error;
      if (state !== awaited) logger.warn({ error_code: state }, 'database.awaited');
      awaited = state;
      // Not all processes in the same moment.
      await wait(pauseMs * (0.5 + Math.random() / 2));
    }
  }
}
