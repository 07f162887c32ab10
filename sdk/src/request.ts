// One request and its answer: the address, the deadline, and what a failure means.
import type { Method } from './described-api.ts';
import { KelpieError, KelpieUnreachable, type KelpieUnreachableInit } from './errors.ts';
import { isObject, parseJson, textOf, valueOf } from './json.ts';

/** How Kelpie is reached, and as whom. It holds the secret, so it is kept where nothing can print it. */
export interface Connection {
  baseUrl: string;
  apiKey: string | undefined;
  environment: string | undefined;
  account: string | undefined;
  fetch: typeof fetch;
  timeoutMs: number;
}

/** What every call takes. */
export interface CallOptions {
  /** Ends the call. Whatever was asked for may have happened nevertheless. */
  signal?: AbortSignal | undefined;
  /** How long to wait for the whole answer, in place of what the client was made with. */
  timeoutMs?: number | undefined;
}

type QueryValue = string | number | Date | readonly string[];

export interface RequestOptions extends CallOptions {
  path?: Readonly<Record<string, string>>;
  query?: object;
  body?: unknown;
  idempotencyKey?: string;
  /** How long the answer may be held back, as it was asked for: so much longer is waited for it. */
  waitMs?: number;
}

export interface Answer {
  status: number;
  headers: Headers;
  json: object;
}

/** The longest that a timer can wait; past it, it does not wait at all. */
const longestTimeoutMs = 2 ** 31 - 1;

/** A text that a header can't carry is found here: the platform's own error would repeat it, and it may be a secret. */
export function assertHeaderText(name: string, value: string): void {
  if (!/^[\x21-\x7e]+$/.test(value)) {
    throw new TypeError(`${name} is empty, or holds a space, a line break or a character that is not ASCII.`);
  }
}

function queryText(value: QueryValue): string {
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'object' ? value.join(',') : String(value);
}

function isQueryValue(value: unknown): value is QueryValue {
  return typeof value === 'string' || typeof value === 'number' || isObject(value);
}

/** Nothing, or dots, would be the address of something else. */
function segmentOf(name: string, value = ''): string {
  if (/^\.{0,2}$/.test(value)) throw new TypeError(`${name} is empty or made of dots.`);
  return encodeURIComponent(value);
}

function addressOf(
  { baseUrl, environment }: Connection,
  template: string,
  { path = {}, query = {} }: RequestOptions,
): URL {
  const filled = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => segmentOf(name, path[name]));
  const address = new URL(baseUrl + filled);
  for (const [name, value] of Object.entries({ ...query, environment })) {
    if (isQueryValue(value)) address.searchParams.set(name, queryText(value));
  }
  return address;
}

function headersOf({ apiKey, account }: Connection, { body, idempotencyKey }: RequestOptions): Headers {
  const headers = new Headers({ accept: 'application/json' });
  if (apiKey !== undefined) headers.set('authorization', `Bearer ${apiKey}`);
  if (account !== undefined) headers.set('kelpie-account', account);
  if (body !== undefined) headers.set('content-type', 'application/json');
  if (idempotencyKey !== undefined) {
    assertHeaderText('idempotencyKey', idempotencyKey);
    headers.set('idempotency-key', idempotencyKey);
  }
  return headers;
}

/** Gives `work` a signal that ends it when its time is over or the caller says so. */
async function withDeadline<Result>(
  { timeoutMs, signal, idempotencyKey }: CallOptions & { timeoutMs: number; idempotencyKey?: string | undefined },
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  if (!(timeoutMs > 0 && timeoutMs <= longestTimeoutMs)) throw new RangeError(`timeoutMs can't be ${timeoutMs}`);
  const controller = new AbortController();
  let reason: KelpieUnreachableInit['reason'] = 'network';
  const end = (why: 'timeout' | 'aborted'): void => {
    reason = why;
    controller.abort();
  };
  const onAbort = (): void => end('aborted');
  const timer = setTimeout(end, timeoutMs, 'timeout');
  signal?.addEventListener('abort', onAbort);
  if (signal?.aborted === true) onAbort();
  try {
    return await work(controller.signal);
  } catch (cause) {
    throw new KelpieUnreachable({ reason, idempotencyKey, cause });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}

function secondsOf(headers: Headers): number | undefined {
  const text = headers.get('retry-after');
  return text !== null && /^\d+$/.test(text) ? Number(text) : undefined;
}

/** The error that a response carries; undefined where what answered was not Kelpie. */
export function parseKelpieError(status: number, headers: Headers, json: unknown): KelpieError | undefined {
  const error = valueOf(json, 'error');
  const code = textOf(error, 'code');
  const message = textOf(error, 'message');
  if (code === undefined || message === undefined) return undefined;
  return new KelpieError({
    code,
    message,
    status,
    details: valueOf(error, 'details'),
    requestId: headers.get('request-id') ?? undefined,
    retryAfterSeconds: secondsOf(headers),
  });
}

/** Asks once. There is no second try here: whether to repeat a payout is for the one who knows its key. */
export async function request(
  connection: Connection,
  method: Method,
  template: string,
  options: RequestOptions,
): Promise<Answer> {
  const { signal, idempotencyKey, waitMs = 0, timeoutMs = connection.timeoutMs + waitMs } = options;
  const address = addressOf(connection, template, options);
  const init: RequestInit = {
    method: method.toUpperCase(),
    headers: headersOf(connection, options),
    // Kelpie never sends a caller elsewhere. Whoever does shall not get the request.
    redirect: 'error',
    credentials: connection.apiKey === undefined ? 'include' : 'omit',
    ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
  };
  // Called without its object: a browser's own fetch refuses to be a method of ours.
  const { fetch } = connection;
  const { status, ok, headers, text } = await withDeadline({ timeoutMs, signal, idempotencyKey }, async (ending) => {
    const response = await fetch(address, { ...init, signal: ending });
    return { status: response.status, ok: response.ok, headers: response.headers, text: await response.text() };
  });
  const json = parseJson(text);
  if (ok && isObject(json)) return { status, headers, json };
  throw (
    (ok ? undefined : parseKelpieError(status, headers, json)) ??
    new KelpieUnreachable({ reason: 'unreadable', status, idempotencyKey })
  );
}
