import { randomUUID } from 'node:crypto';
import { textAt, valueAt } from '@kelpie/dev/json.ts';
import { watchText } from './canaries/log-watch.ts';
import { canaries } from './canaries/values.ts';
import { assertDeclared, readAs } from './contract.ts';

export { canaries };

/** What an engineer of a partner's has: an address and a key. */
export interface Client {
  url: string;
  key: string;
}

export interface ApiAnswer {
  status: number;
  json: unknown;
  text: string;
  headers: Headers;
  /** The id of what was answered, or '' where it has none. */
  id: string;
  /** The status of the payout. */
  payout: string;
  /** The code of an error. */
  code: string;
}

export function payoutBody(change: object = {}, recipient: object = {}): Record<string, unknown> {
  return {
    amount_gbp: '1.00',
    reference: 'Order 42',
    recipient: {
      first_name: 'Ada',
      last_name: 'Canaryname',
      email: canaries.email,
      address: { line1: canaries.line1, city: 'Leeds', postal_code: 'LS1 1AA' },
      bank: { bank_name: 'Example Bank', sort_code: canaries.sortCode, account_number: canaries.accountNumber },
      ...recipient,
    },
    ...change,
  };
}

export function bankOf(accountNumber: string): object {
  return { bank: { bank_name: 'Example Bank', sort_code: canaries.sortCode, account_number: accountNumber } };
}

/** Longer than any answer takes: a caller that is forgotten shall not wait for ever. */
const patienceMs = 60_000;

function optionalText(json: unknown, path: string): string {
  return typeof valueAt(json, path) === 'string' ? textAt(json, path) : '';
}

export async function call(
  { url, key }: { url: string; key: string | null },
  path: string,
  { method = 'GET', body, headers = {} }: { method?: string; body?: unknown; headers?: Record<string, string> } = {},
): Promise<ApiAnswer> {
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    signal: AbortSignal.timeout(patienceMs),
  });
  const text = await response.text();
  const type = response.headers.get('content-type') ?? '';
  const json = readAs(type, text);
  // Whatever a test is about: no answer may break what we have promised.
  assertDeclared({ method, address: path }, { status: response.status, type, json, text });
  if (response.status >= 400) watchText(text, `an answer ${response.status} to ${method} ${path.split('?', 1)[0]}`);
  watchText(response.headers.get('location') ?? '', 'the header Location');
  return {
    status: response.status,
    json,
    text,
    headers: response.headers,
    id: optionalText(json, 'id'),
    payout: optionalText(json, 'status'),
    code: optionalText(json, 'error.code'),
  };
}

export async function createPayout(
  client: Client,
  body: unknown = payoutBody(),
  idempotencyKey: string = randomUUID(),
): Promise<ApiAnswer> {
  return call(client, '/v1/payouts', { method: 'POST', body, headers: { 'idempotency-key': idempotencyKey } });
}

export async function getPayout(client: Client, id: string): Promise<ApiAnswer> {
  return call(client, `/v1/payouts/${id}`);
}

export async function cancelPayout(client: Client, id: string): Promise<ApiAnswer> {
  return call(client, `/v1/payouts/${id}/cancel`, { method: 'POST' });
}
