import * as fc from 'fast-check';
import type { Draft, Spoiler } from './request.ts';

// Headers that no client library sends. Each spoils a request that was right.

function withHeader({ headers, ...draft }: Draft, name: string, ...values: string[]): Draft {
  const others = headers.filter(([known]) => known !== name);
  return { ...draft, headers: [...others, ...values.map((value) => [name, value] as const)] };
}

const contentTypes = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/json; charset=utf-16',
  'application/json;',
  'APPLICATION/JSON',
  'application/jsonp',
  'application/merge-patch+json',
  'application/json, text/plain',
  '*/*',
  '',
  ';',
  'application/',
  '__proto__',
];

const authorizations = [
  [],
  [''],
  ['Bearer'],
  ['Bearer '],
  ['<key>'],
  ['Basic <key>'],
  ['bearer <key>'],
  ['Bearer  <key> '],
  ['Bearer <key>0'],
  ['Bearer <key>, Bearer <key>'],
  ['Bearer <key>', 'Bearer <key>'],
  [`Bearer kp_sandbox_${'0'.repeat(48)}`],
  [`Bearer kp_live_${'f'.repeat(48)}`],
  ['Bearer __proto__'],
  [`Bearer ${'x'.repeat(5_000)}`],
  ['Bearer \u00e9\u00ff'],
  ["Bearer ' or 1=1 --"],
];

/** What a header can carry at all: a byte that ends it would make another request of it. */
const headerTexts = fc.oneof(
  fc.constantFrom(
    '',
    'short',
    'x'.repeat(8),
    'x'.repeat(100),
    'x'.repeat(101),
    'with space',
    'a,b,c,d,e',
    'constructor',
  ),
  fc.string({ unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)), maxLength: 120 }),
);

const otherHeaders: readonly (readonly [string, string])[] = [
  ['expect', '100-continue'],
  ['expect', 'something'],
  ['content-encoding', 'gzip'],
  ['accept', 'text/html'],
  ['accept-version', '2.0.0'],
  ['x-http-method-override', 'DELETE'],
  ['x-forwarded-for', '127.0.0.1, ::1'],
  ['upgrade', 'h2c'],
  ['connection', 'close'],
  ['connection', 'upgrade'],
  ['range', 'bytes=0-1'],
  ['if-none-match', '*'],
  ['request-id', 'mine'],
  ['cookie', 'a=b'.repeat(500)],
  ['x-long', 'x'.repeat(20_000)],
  ['__proto__', 'x'],
  ['origin', 'null'],
];

export const hostileHeaders: fc.Arbitrary<Spoiler> = fc.oneof(
  fc.constantFrom(...contentTypes).map(
    (type): Spoiler =>
      (draft) =>
        withHeader(draft, 'content-type', type),
  ),
  fc.constant<Spoiler>((draft) => withHeader(draft, 'content-type')),
  fc.constantFrom(...authorizations).map(
    (values): Spoiler =>
      (draft) =>
        withHeader(draft, 'authorization', ...values),
  ),
  fc.array(headerTexts, { maxLength: 2 }).map(
    (values): Spoiler =>
      (draft) =>
        withHeader(draft, 'idempotency-key', ...values),
  ),
  fc.constantFrom(...otherHeaders).map((header): Spoiler => (draft) => ({
    ...draft,
    headers: [...draft.headers, header],
  })),
  fc.constantFrom([], [''], ['x'], ['a', 'b'], ['a b'], ['%00']).map(
    (hosts): Spoiler =>
      (draft) =>
        withHeader(draft, 'host', ...hosts),
  ),
  fc.constant<Spoiler>((draft) => (draft.body === null ? draft : { ...draft, isChunked: true })),
  fc.nat(3_000).map((count): Spoiler => (draft) => ({
    ...draft,
    headers: [...draft.headers, ...Array.from({ length: count }, (_, number) => [`x${number}`, ''] as const)],
  })),
);
