import { assertHeaderText, type Connection } from './request.ts';

interface ReachOptions {
  /** Where Kelpie is: the address that you were given, without /v1. */
  baseUrl: string;
  /** In place of the global fetch: for a proxy, or a test. */
  fetch?: typeof fetch | undefined;
  /** How long a call waits for its whole answer, unless it says otherwise: 30 seconds. */
  timeoutMs?: number | undefined;
}

interface KeyOptions {
  /** Starts with kp_sandbox_ or kp_live_, which decides the environment. */
  apiKey: string;
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

export function connect({
  baseUrl,
  apiKey,
  environment,
  account,
  fetch,
  timeoutMs = defaultTimeoutMs,
}: KelpieOptions): Connection {
  if (!URL.canParse(baseUrl)) throw new TypeError('baseUrl is not an address such as https://api.example.com');
  if (apiKey !== undefined) assertHeaderText('apiKey', apiKey);
  if (account !== undefined) assertHeaderText('account', account);
  return {
    baseUrl: baseUrl.endsWith('/') ? baseUrl.slice(0, -1) : baseUrl,
    apiKey,
    environment,
    account,
    fetch: fetch ?? globalThis.fetch,
    timeoutMs,
  };
}
