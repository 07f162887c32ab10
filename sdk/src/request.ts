// A call: its attempts, how long they take together, and the error that is left at the end.
import { assertDuration, attempt, type Answered, type Attempt, type Outcome } from './attempt.ts';
import { addressOf, initOf, type Addressed, type Connection } from './connection.ts';
import type { Method } from './described-api.ts';
import { KelpieError, KelpieUnreachable } from './errors.ts';
import { isObject, parseJson } from './json.ts';
import { writeLog, type LogEntry } from './log.ts';
import { isWorthRetrying, leavesOutcomeUnknown, pause, pauseBeforeRetryMs, type Failure } from './retries.ts';

/** What every call takes. */
export interface CallOptions {
  /** Ends the call. Whatever was asked for may have happened nevertheless. */
  signal?: AbortSignal | undefined;
  /** How long one attempt waits for the whole answer, in place of what the client was made with. */
  timeoutMs?: number | undefined;
  /** How long the call takes at most, with all attempts and pauses: by default, twice `timeoutMs`. */
  deadlineMs?: number | undefined;
  /** How often to try again, in place of what the client was made with. What is not safe to repeat is never tried again. */
  retries?: number | undefined;
}

export interface RequestOptions extends CallOptions, Addressed {
  /** How long the answer may be held back, as it was asked for: so much longer is waited for it. */
  waitMs?: number;
  /** Of a call without an idempotency key that is no GET: `none` where it only reads, `once` where a repetition changes nothing more. */
  effect?: 'none' | 'once';
}

export interface Answer {
  status: number;
  headers: Headers;
  json: object;
}

const mostRetries = 10;

/** What a call may spend. */
interface Budget {
  attempts: number;
  timeoutMs: number;
  endsAtMs: number;
}

function isSafeToRepeat(method: Method, { idempotencyKey, effect }: RequestOptions): boolean {
  return method === 'get' || idempotencyKey !== undefined || effect !== undefined;
}

function budgetOf(connection: Connection, isSafe: boolean, options: RequestOptions): Budget {
  const { waitMs = 0, timeoutMs = connection.timeoutMs + waitMs, retries = connection.retries } = options;
  const deadlineMs = options.deadlineMs ?? connection.deadlineMs ?? 2 * timeoutMs;
  assertDuration('timeoutMs', timeoutMs);
  assertDuration('deadlineMs', deadlineMs);
  if (!Number.isInteger(retries) || retries < 0 || retries > mostRetries)
    throw new RangeError(`retries can't be ${retries}: 0 to ${mostRetries}`);
  return { attempts: isSafe ? retries + 1 : 1, timeoutMs, endsAtMs: performance.now() + deadlineMs };
}

/** How long to pause before the next attempt; undefined where there is none. */
function nextPauseMs(failure: Failure, number: number, { attempts, endsAtMs }: Budget): number | undefined {
  if (number >= attempts || !isWorthRetrying(failure)) return undefined;
  const pauseMs = pauseBeforeRetryMs(failure, number, Math.random());
  return performance.now() + pauseMs < endsAtMs ? pauseMs : undefined;
}

interface ErrorContext {
  isSafe: boolean;
  isRead: boolean;
  idempotencyKey: string | undefined;
  /** Whether an earlier attempt may have done what was asked for. */
  wasUnknown: boolean;
}

function errorOf(failure: Failure, { isSafe, isRead, idempotencyKey, wasUnknown }: ErrorContext) {
  if (failure.kind === 'refused')
    return new KelpieError({
      ...failure.refusal,
      isOutcomeUnknown: !isRead && leavesOutcomeUnknown(failure, wasUnknown),
    });
  const { reason, status, cause } = failure;
  return new KelpieUnreachable({ reason, status, idempotencyKey, isSafeToRepeat: isSafe, cause });
}

function resultOf(outcome: Outcome<unknown>): Pick<LogEntry, 'status' | 'code' | 'reason' | 'requestId'> {
  switch (outcome.kind) {
    case 'answered': {
      const requestId = outcome.headers.get('request-id') ?? undefined;
      return { status: outcome.status, code: undefined, reason: undefined, requestId };
    }
    case 'refused': {
      const { status, code, requestId } = outcome.refusal;
      return { status, code, reason: undefined, requestId };
    }
    case 'unreachable':
      return { status: outcome.status, code: undefined, reason: outcome.reason, requestId: outcome.requestId };
  }
}

/** The verb as HTTP writes it. */
const verbs = { get: 'GET', post: 'POST', patch: 'PATCH', delete: 'DELETE' } as const;

export async function perform<Body>(
  connection: Connection,
  method: Method,
  template: string,
  { read, ...options }: RequestOptions & Pick<Attempt<Body>, 'read'>,
): Promise<Answered<Body>> {
  const { signal, idempotencyKey } = options;
  const isSafe = isSafeToRepeat(method, options);
  const budget = budgetOf(connection, isSafe, options);
  const address = addressOf(connection, template, options);
  const init = initOf(connection, verbs[method], options);
  // Called without its object: a browser's own fetch refuses to be a method of ours.
  const { fetch, log } = connection;
  const send = async (ending: AbortSignal): Promise<Response> => fetch(address, { ...init, signal: ending });
  const context = { isSafe, isRead: method === 'get' || options.effect === 'none', idempotencyKey, wasUnknown: false };
  for (let number = 1; ; number += 1) {
    const startedAtMs = performance.now();
    const timeoutMs = Math.min(budget.timeoutMs, Math.max(1, budget.endsAtMs - startedAtMs));
    const outcome = await attempt({ send, read, timeoutMs, signal });
    const durationMs = performance.now() - startedAtMs;
    const retryInMs = outcome.kind === 'answered' ? undefined : nextPauseMs(outcome, number, budget);
    const result = resultOf(outcome);
    writeLog(log, { method: verbs[method], path: template, attempt: number, durationMs, ...result, retryInMs });
    if (outcome.kind === 'answered') return outcome;
    if (retryInMs === undefined) throw errorOf(outcome, context);
    context.wasUnknown = leavesOutcomeUnknown(outcome, context.wasUnknown);
    // After a signal, the next attempt ends at once and says so.
    await pause(retryInMs, signal);
  }
}

async function readJson(response: Response): Promise<object | undefined> {
  const json = parseJson(await response.text());
  return isObject(json) ? json : undefined;
}

export async function request(
  connection: Connection,
  method: Method,
  template: string,
  options: RequestOptions,
): Promise<Answer> {
  const { status, headers, body } = await perform(connection, method, template, { ...options, read: readJson });
  return { status, headers, json: body };
}
