import { checkBaseUrl } from './base-url.ts';
import { textOf, valueOf } from './json.ts';
import type { LogEntry } from './log.ts';
import { assertHeaderText, type Connection } from './connection.ts';

interface ReachOptions {
  /** Where Kelpie is: the address that you were given, without /v1. By default, the environment variable KELPIE_BASE_URL. */
  baseUrl?: string | undefined;
  /** In place of the global fetch: for a proxy, or a test. */
  fetch?: typeof fetch | undefined;
  /** How long one attempt waits for its whole answer, unless a call says otherwise: 30 seconds. */
  timeoutMs?: number | undefined;
  /** How long a call takes at most, with all its attempts and pauses: twice `timeoutMs`. */
  deadlineMs?: number | undefined;
  /** How often a call is tried again that is safe to repeat: 2. With 0, every call is one request. */
  retries?: number | undefined;
  /** Called after every attempt. It never gets a key, a body or an id. */
  log?: ((entry: LogEntry) => void) | undefined;
}

interface KeyOptions {
  /** Starts with kp_sandbox_ or kp_live_, which decides the environment. By default, the environment variable KELPIE_API_KEY. */
  apiKey?: string | undefined;
  environment?: undefined;
  account?: undefined;
}

/** For a person who is signed in, in a browser: the session's cookie says who, and this says where. */
interface SessionOptions {
  environment: 'sandbox' | 'live';
  /** The id of the account that the page is of: once the browser is signed in to another, calls are refused (`session_changed`). */
  account?: string | undefined;
  apiKey?: undefined;
}

export type KelpieOptions = ReachOptions & (KeyOptions | SessionOptions);

const defaultTimeoutMs = 30_000;
const defaultRetries = 2;

/** Undefined where it is not set or empty, and where there are no such variables, as in a browser. */
function environmentVariable(name: string): string | undefined {
  const text = textOf(valueOf(valueOf(globalThis, 'process'), 'env'), name);
  return text === '' ? undefined : text;
}

function required(name: string, variable: string, given: string | undefined): string {
  const value = given ?? environmentVariable(variable);
  if (value !== undefined && value !== '') return value;
  throw new TypeError(`${name} is missing. Pass it to createKelpie({ ${name} }), or set ${variable}.`);
}

export function connect(options: KelpieOptions): Connection {
  const { environment, account, fetch, timeoutMs = defaultTimeoutMs, deadlineMs, retries = defaultRetries } = options;
  const apiKey = environment === undefined ? required('apiKey', 'KELPIE_API_KEY', options.apiKey) : undefined;
  if (apiKey !== undefined) assertHeaderText('apiKey', apiKey);
  if (account !== undefined) assertHeaderText('account', account);
  return {
    baseUrl: checkBaseUrl(required('baseUrl', 'KELPIE_BASE_URL', options.baseUrl)),
    apiKey,
    environment,
    account,
    fetch: fetch ?? globalThis.fetch,
    timeoutMs,
    deadlineMs,
    retries,
    log: options.log,
  };
}
