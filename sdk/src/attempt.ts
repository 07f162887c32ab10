// One request and its answer: the deadline, and what a failure means.
import { KelpieError, type KelpieErrorInit, type UnreachableReason } from './errors.ts';
import { parseJson, textOf, valueOf } from './json.ts';

export interface Answered<Body> {
  kind: 'answered';
  status: number;
  headers: Headers;
  body: Body;
}

export interface Refused {
  kind: 'refused';
  refusal: KelpieErrorInit;
}

export interface Unreachable {
  kind: 'unreachable';
  reason: UnreachableReason;
  status?: number;
  requestId?: string | undefined;
  cause?: unknown;
}

export type Outcome<Body> = Answered<Body> | Refused | Unreachable;

export interface Attempt<Body> {
  send: (signal: AbortSignal) => Promise<Response>;
  /** What a successful answer holds; undefined where it can't be Kelpie's. */
  read: (response: Response, controller: AbortController) => Promise<Body | undefined>;
  timeoutMs: number;
  signal: AbortSignal | undefined;
}

/** The longest that a timer can wait; past it, it does not wait at all. */
const longestTimeoutMs = 2 ** 31 - 1;

export function assertDuration(name: string, ms: number): void {
  if (!(ms > 0 && ms <= longestTimeoutMs)) throw new RangeError(`${name} can't be ${ms}`);
}

function secondsOf(headers: Headers): number | undefined {
  const text = headers.get('retry-after');
  return text !== null && /^\d+$/.test(text) ? Number(text) : undefined;
}

function refusalOf(status: number, headers: Headers, json: unknown): KelpieErrorInit | undefined {
  const error = valueOf(json, 'error');
  const code = textOf(error, 'code');
  const message = textOf(error, 'message');
  if (code === undefined || message === undefined) return undefined;
  return {
    code,
    message,
    status,
    details: valueOf(error, 'details'),
    requestId: headers.get('request-id') ?? undefined,
    retryAfterSeconds: secondsOf(headers),
  };
}

/** The error that a response carries; undefined where what answered was not Kelpie. */
export function parseKelpieError(status: number, headers: Headers, json: unknown): KelpieError | undefined {
  const refusal = refusalOf(status, headers, json);
  return refusal === undefined ? undefined : new KelpieError(refusal);
}

async function outcomeOf<Body>(response: Response, read: () => Promise<Body | undefined>): Promise<Outcome<Body>> {
  const { status, headers, ok } = response;
  const requestId = headers.get('request-id') ?? undefined;
  if (ok) {
    const body = await read();
    if (body !== undefined) return { kind: 'answered', status, headers, body };
  } else {
    const refusal = refusalOf(status, headers, parseJson(await response.text()));
    if (refusal !== undefined) return { kind: 'refused', refusal };
  }
  return { kind: 'unreachable', reason: 'unreadable', status, requestId };
}

/** Asks once, and ends when its time is over or the caller says so. */
export async function attempt<Body>({ send, read, timeoutMs, signal }: Attempt<Body>): Promise<Outcome<Body>> {
  const controller = new AbortController();
  let reason: UnreachableReason = 'network';
  const end = (why: 'timeout' | 'aborted'): void => {
    reason = why;
    controller.abort();
  };
  const onAbort = (): void => end('aborted');
  const timer = setTimeout(end, timeoutMs, 'timeout');
  signal?.addEventListener('abort', onAbort);
  if (signal?.aborted === true) onAbort();
  try {
    const response = await send(controller.signal);
    return await outcomeOf(response, async () => read(response, controller));
  } catch (cause) {
    return { kind: 'unreachable', reason, cause };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}
