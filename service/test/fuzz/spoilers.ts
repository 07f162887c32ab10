import * as fc from 'fast-check';
import { hostileAddresses, hostileQueries } from './hostile-addresses.ts';
import { hostileBodies, largeBodies } from './hostile-bodies.ts';
import { hostileHeaders } from './hostile-headers.ts';
import type { Spoiler } from './request.ts';

const methods = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
  'QUERY',
  'M-SEARCH',
  'PURGE',
];

/** What is wrong with an address alone: most of what an operation without a body can get wrong. */
export const addressSpoilers: fc.Arbitrary<Spoiler> = fc.oneof(
  { arbitrary: hostileQueries, weight: 3 },
  { arbitrary: hostileAddresses, weight: 1 },
);

/** What is wrong in any part. */
export const spoilers: fc.Arbitrary<Spoiler> = fc.oneof(
  { arbitrary: hostileBodies, weight: 40 },
  { arbitrary: hostileHeaders, weight: 30 },
  { arbitrary: hostileAddresses, weight: 12 },
  { arbitrary: hostileQueries, weight: 12 },
  {
    arbitrary: fc.constantFrom(...methods).map((method): Spoiler => (draft) => ({ ...draft, method })),
    weight: 5,
  },
  { arbitrary: largeBodies, weight: 1 },
);
