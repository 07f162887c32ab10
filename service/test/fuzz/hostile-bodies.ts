import * as fc from 'fast-check';
import { treeOf, writeJson, type JsonTree } from './json-tree.ts';
import { oddJson, oddTexts } from './odd-values.ts';
import type { Draft, Spoiler } from './request.ts';

// Bodies that nobody sends by mistake. Each spoils a request that was right.

function textOf(body: Draft['body']): string {
  if (body === null) return '{}';
  return body instanceof Uint8Array ? Buffer.from(body).toString() : writeJson(body);
}

const jsonType = ['content-type', 'application/json'] as const;

/** A body of any kind, called JSON where nothing else was said. */
function withBody(draft: Draft, body: Draft['body']): Draft {
  const isTyped = draft.headers.some(([name]) => name === 'content-type');
  return { ...draft, body, headers: isTyped ? draft.headers : [...draft.headers, jsonType] };
}

const withText =
  (change: (text: string) => string): Spoiler =>
  (draft) =>
    withBody(draft, Buffer.from(change(textOf(draft.body))));

const splicedBy = (at: number, removed: number, added: string): Spoiler =>
  withText((text) => {
    const from = at % (text.length + 1);
    return text.slice(0, from) + added + text.slice(from + removed);
  });

/** Bytes put into the middle of what was right. */
function withBytes(draft: Draft, at: number, bytes: Uint8Array): Draft {
  const body = Buffer.from(textOf(draft.body));
  const from = at % (body.length + 1);
  return withBody(draft, Buffer.concat([body.subarray(0, from), bytes, body.subarray(from)]));
}

function manyFields(count: number): JsonTree {
  return treeOf(Object.fromEntries(Array.from({ length: count }, (_, number) => [`field${number}`, number])));
}

const badUtf8 = [
  [0xff],
  [0xc0, 0x80],
  [0xed, 0xa0, 0x80],
  [0xf4, 0x90, 0x80, 0x80],
  [0xe2, 0x82],
  [0x00],
  [0xef, 0xbb, 0xbf],
];
const bits = [
  '{',
  '}',
  '[',
  ']',
  '"',
  ':',
  ',',
  '\\',
  '\\u',
  "'",
  '//',
  'NaN',
  '\u0000',
  '\ufeff',
  ',,',
  'e',
  '-',
  '\t\r\n',
];

export const hostileBodies: fc.Arbitrary<Spoiler> = fc.oneof(
  fc.uint8Array({ maxLength: 200 }).map(
    (bytes): Spoiler =>
      (draft) =>
        withBody(draft, bytes),
  ),
  fc.tuple(fc.nat(), fc.constantFrom(...bits)).map(([at, bit]) => splicedBy(at, 0, bit)),
  fc.tuple(fc.nat(), fc.integer({ min: 1, max: 9 })).map(([at, removed]) => splicedBy(at, removed, '')),
  fc.nat().map((at) => splicedBy(at, Number.MAX_SAFE_INTEGER, '')),
  fc.tuple(fc.nat(), fc.constantFrom(...badUtf8)).map(
    ([at, bytes]): Spoiler =>
      (draft) =>
        withBytes(draft, at, Uint8Array.from(bytes)),
  ),
  fc.constantFrom(...oddJson, ...oddTexts).map((json) => withText(() => json)),
  fc.json().map((json) => withText(() => json)),
  fc.constant(withText((text) => `[${text}]`)),
  fc.constant(withText((text) => text + text)),
  fc.constant<Spoiler>((draft) => ({ ...draft, body: null })),
);

/** Slow to send and slow to read: seldom is enough. */
export const largeBodies: fc.Arbitrary<Spoiler> = fc.oneof(
  fc.nat(30_000).map((depth) => withText(() => `{"x":${'['.repeat(depth)}${']'.repeat(depth)}}`)),
  fc.nat(30_000).map((depth) => withText(() => '['.repeat(depth))),
  fc.nat(4_000).map(
    (count): Spoiler =>
      (draft) =>
        withBody(draft, manyFields(count)),
  ),
  fc.constantFrom(65_535, 65_536, 65_537, 100_000).map((length) => withText((text) => text.padEnd(length, ' '))),
  fc
    .constantFrom('\\\\', '\\"', ':', '\\u0000')
    .map((unit) => withText(() => `{"amount_gbp":"${unit.repeat(10_000)}"}`)),
);
