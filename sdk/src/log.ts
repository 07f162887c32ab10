import type { Method } from './described-api.ts';
import type { UnreachableReason } from './errors.ts';

/** One attempt, for your log. It holds nothing secret: the path is the endpoint's, without ids. */
export interface LogEntry {
  method: Uppercase<Method>;
  /** `/v1/payouts/{id}` */
  path: string;
  /** 1 for the first attempt of a call. */
  attempt: number;
  durationMs: number;
  /** The HTTP status; undefined where nothing answered. */
  status: number | undefined;
  /** The error's `code`, where Kelpie refused. */
  code: string | undefined;
  /** Why the outcome is not known, where it is not. */
  reason: UnreachableReason | undefined;
  /** By which support finds the request. */
  requestId: string | undefined;
  /** How long the client pauses before the next attempt; undefined after the last. */
  retryInMs: number | undefined;
}

/** A log that fails must not make a payout look as if it had failed. */
export function writeLog(log: ((entry: LogEntry) => void) | undefined, entry: LogEntry): void {
  try {
    log?.(entry);
  } catch {
    // What the caller's log throws is not about this call.
  }
}
