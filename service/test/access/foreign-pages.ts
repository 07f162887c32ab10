import { randomUUID } from 'node:crypto';
import { textAt } from '@kelpie/dev/json.ts';
import type { Operation } from '../harness/contract.ts';

/** What a browser says of where a page is from, for pages that are not ours. */
export function foreignPages(ownOrigin: string): Record<string, Record<string, string>> {
  const { protocol, host } = new URL(ownOrigin);
  return {
    'another origin': { origin: 'https://evil.example' },
    'an origin that only begins like ours': { origin: `${ownOrigin}.evil.example` },
    'our host by another scheme': { origin: `${protocol === 'https:' ? 'http:' : 'https:'}//${host}` },
    'an origin that is hidden': { origin: 'null' },
    'another site': { 'sec-fetch-site': 'cross-site' },
    'another host of our site': { 'sec-fetch-site': 'same-site' },
    'our origin, but from another site': { origin: ownOrigin, 'sec-fetch-site': 'cross-site' },
  };
}

/** Needs no session: a page of another site could at most sign a browser in with it. */
export function isOpen({ access }: Pick<Operation, 'access'>): boolean {
  return access === 'anybody';
}

/** Asks as a browser does for a page, with whatever it says of that page. */
export async function askFromPage(
  url: string,
  { method, path }: Pick<Operation, 'method' | 'path'>,
  headers: Record<string, string>,
): Promise<{ status: number; code: string }> {
  const filled = path.replace('{id}', randomUUID()).replace('{slug}', 'none').replace('{email}', 'nobody@people.test');
  const response = await fetch(`${url}${filled}?environment=sandbox`, {
    method,
    headers: { 'content-type': 'application/json', 'idempotency-key': randomUUID(), ...headers },
    ...(method === 'GET' ? {} : { body: '{}' }),
    signal: AbortSignal.timeout(10_000),
  });
  const json: unknown = await response.json();
  return { status: response.status, code: response.ok ? '' : textAt(json, 'error.code') };
}
