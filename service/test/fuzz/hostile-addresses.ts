import * as fc from 'fast-check';
import { oddNames, oddTexts } from './odd-values.ts';
import type { Spoiler } from './request.ts';

// Addresses that no client library writes. Each spoils a request that was right.

/** Every byte that is not plain as its two digits; half a character as the sign for one that is unknown. */
export function percentEncoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

const encodings = [
  '%',
  '%zz',
  '%00',
  '%2e%2e',
  '%2F',
  '%C0%80',
  '%ff',
  '%u0041',
  '%ED%A0%80',
  '%25',
  '%E2%80%AE',
  '..',
  '.',
  '//',
  ';x',
  '#x',
  '*',
  '\u00ff',
  "'",
  '{id}',
  '%0d%0aX:y',
];

export const hostileAddresses: fc.Arbitrary<Spoiler> = fc.oneof(
  fc.tuple(fc.nat(), fc.constantFrom(...encodings)).map(([at, odd]): Spoiler => (draft) => {
    const from = at % (draft.path.length + 1);
    return { ...draft, path: draft.path.slice(0, from) + odd + draft.path.slice(from) };
  }),
  fc.constant<Spoiler>((draft) => ({ ...draft, path: `${draft.path}/` })),
  fc.constant<Spoiler>((draft) => ({ ...draft, path: draft.path.toUpperCase() })),
  fc.constant<Spoiler>((draft) => ({ ...draft, path: `http://example.test${draft.path}` })),
  fc.constantFrom(50, 101, 5_000, 17_000).map((length): Spoiler => (draft) => ({
    ...draft,
    path: `${draft.path}${'a'.repeat(length)}`,
  })),
  fc.constantFrom(...oddNames, ...oddTexts).map((odd): Spoiler => (draft) => ({
    ...draft,
    path: draft.path.replace(/[^/]*$/, () => percentEncoded(odd)),
  })),
);

export const hostileQueries: fc.Arbitrary<Spoiler> = fc.oneof(
  fc.constant<Spoiler>((draft) => ({ ...draft, query: [...draft.query, ...draft.query] })),
  fc
    .tuple(fc.constantFrom(...oddNames), fc.constantFrom(...encodings, ...oddTexts.map(percentEncoded)))
    .map(([name, value]): Spoiler => (draft) => ({
      ...draft,
      query: [...draft.query, `${percentEncoded(name)}=${value}`],
    })),
  fc
    .tuple(fc.nat(), fc.constantFrom(...encodings, ...oddTexts.map(percentEncoded)))
    .map(([at, value]): Spoiler => (draft) => ({
      ...draft,
      query: draft.query.map((pair, number) =>
        number === at % draft.query.length ? pair.replace(/=.*/s, () => `=${value}`) : pair,
      ),
    })),
  fc
    .constantFrom('&&', '=', '?', 'a[b]=c', 'a=b;c=d', '&'.repeat(3_000), 'x=y&'.repeat(1_500))
    .map((odd): Spoiler => (draft) => ({ ...draft, query: [...draft.query, odd] })),
);
