import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startStandInApi } from '../test/stand-in-api.ts';
import { nextCursor } from './pages.ts';
import { request } from './request.ts';

const api = await startStandInApi();
const connection = {
  baseUrl: api.url,
  apiKey: 'kp_sandbox_',
  environment: undefined,
  account: undefined,
  fetch,
  timeoutMs: 30_000,
  deadlineMs: undefined,
  retries: 0,
  log: undefined,
};

test('filters are written as the API reads them: lists with commas, instants in UTC, and nothing for undefined', async () => {
  const query = {
    limit: 50,
    status: ['processing', 'completed'],
    created_after: new Date('2026-11-15T11:00:00+01:00'),
    reference: 'Order 42 & more',
    cursor: undefined,
  };
  await request(connection, 'get', '/v1/payouts', { query });
  assert.deepEqual(api.asked[0]?.query, {
    limit: '50',
    status: 'processing,completed',
    created_after: '2026-11-15T10:00:00.000Z',
    reference: 'Order 42 & more',
  });
});

test('the next page is found among other links, however they are written', () => {
  const links: readonly [link: string, cursor: string | undefined][] = [
    ['<https://api.example.com/v1/payouts?limit=1&cursor=a%2Bb>; rel="next"', 'a+b'],
    ['</v1/payouts?cursor=a>; rel=next', 'a'],
    ['</v1/payouts>; rel="first", </v1/payouts?cursor=a>; title="x"; rel="next"', 'a'],
    ['</v1/payouts?cursor=a>; rel="next", </v1/payouts?cursor=b>; rel="prev"', 'a'],
    ['</v1/payouts?cursor=a>; rel="prev"', undefined],
    ['</v1/payouts?cursor=a>; rel="nextish"', undefined],
    ['</v1/payouts>; rel="next"', undefined],
    ['nonsense', undefined],
  ];
  for (const [link, cursor] of links) assert.equal(nextCursor(new Headers({ link })), cursor, link);
  assert.equal(nextCursor(new Headers()), undefined);
});
