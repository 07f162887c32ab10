// How a request is addressed: who asks, where, and for what.
import { isObject } from './json.ts';
import type { LogEntry } from './log.ts';

/** How Kelpie is reached, and as whom. It holds the secret, so it is kept where nothing can print it. */
export interface Connection {
  baseUrl: string;
  apiKey: string | undefined;
  environment: string | undefined;
  account: string | undefined;
  fetch: typeof fetch;
  timeoutMs: number;
  deadlineMs: number | undefined;
  retries: number;
  log: ((entry: LogEntry) => void) | undefined;
}

export interface Addressed {
  path?: Readonly<Record<string, string>>;
  query?: object;
  body?: unknown;
  idempotencyKey?: string;
  /** What is asked for, where it is not JSON. */
  accept?: string;
}

type QueryValue = string | number | Date | readonly string[];

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

export function addressOf(
  { baseUrl, environment }: Connection,
  template: string,
  { path = {}, query = {} }: Addressed,
): URL {
  const filled = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => segmentOf(name, path[name]));
  const address = new URL(baseUrl + filled);
  for (const [name, value] of Object.entries({ ...query, environment })) {
    if (isQueryValue(value)) address.searchParams.set(name, queryText(value));
  }
  return address;
}

function headersOf({ apiKey, account }: Connection, { body, idempotencyKey, accept }: Addressed): Headers {
  const headers = new Headers({ accept: accept ?? 'application/json' });
  if (apiKey !== undefined) headers.set('authorization', `Bearer ${apiKey}`);
  if (account !== undefined) headers.set('kelpie-account', account);
  if (body !== undefined) headers.set('content-type', 'application/json');
  if (idempotencyKey !== undefined) {
    assertHeaderText('idempotencyKey', idempotencyKey);
    headers.set('idempotency-key', idempotencyKey);
  }
  return headers;
}

export function initOf(connection: Connection, method: string, addressed: Addressed): RequestInit {
  return {
    method,
    headers: headersOf(connection, addressed),
    // Kelpie never sends a caller elsewhere. Whoever does shall not get the request.
    redirect: 'error',
    credentials: connection.apiKey === undefined ? 'include' : 'omit',
    ...(addressed.body === undefined ? {} : { body: JSON.stringify(addressed.body) }),
  };
}
