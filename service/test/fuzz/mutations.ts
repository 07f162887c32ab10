import * as fc from 'fast-check';
import { bounds } from './described-operations.ts';
import { treeOf, type JsonField, type JsonTree } from './json-tree.ts';
import { oddJson, oddNames, oddTexts } from './odd-values.ts';

// From a body that is right to one that is nearly so.

/** A field, and the list that it stands in. */
interface Place {
  fields: JsonField[];
  at: number;
  field: JsonField;
}

function placesIn(tree: JsonTree): Place[] {
  switch (tree.kind) {
    case 'text':
      return [];
    case 'array':
      return tree.items.flatMap(placesIn);
    case 'object':
      return tree.fields.flatMap((field, at) => [{ fields: tree.fields, at, field }, ...placesIn(field.value)]);
  }
}

const text = (value: string): JsonTree => ({ kind: 'text', json: JSON.stringify(value) });
const json = (written: string): JsonTree => ({ kind: 'text', json: written });

/** What a text says, or undefined for what is none. */
function wordsOf(value: JsonTree): string | undefined {
  if (value.kind !== 'text' || !value.json.startsWith('"')) return undefined;
  const words: unknown = JSON.parse(value.json);
  return typeof words === 'string' ? words : undefined;
}

function asOtherType(value: JsonTree): JsonTree {
  const words = wordsOf(value);
  if (words !== undefined) return json(/^-?(0|[1-9]\d*)(\.\d+)?$/.test(words) ? words : '1');
  if (value.kind === 'text') return text(value.json);
  return value.kind === 'array' ? { kind: 'object', fields: [] } : { kind: 'array', items: [value] };
}

function withLength(value: JsonTree, length: number): JsonTree {
  const words = wordsOf(value) ?? '';
  return text(words.padEnd(length, /^\d/.test(words) ? '7' : 'x').slice(0, length));
}

/** The digits of other scripts: a careless pattern takes them. */
function withDigitsFrom(value: JsonTree, zero: number): JsonTree {
  const words = wordsOf(value) ?? '1.00';
  return text(words.replaceAll(/[0-9]/g, (digit) => String.fromCodePoint(zero + Number(digit))));
}

function nested(value: JsonTree, depth: number): JsonTree {
  let tree = value;
  for (let level = 0; level < depth; level += 1)
    tree =
      level % 2 === 0 ? { kind: 'array', items: [tree] } : { kind: 'object', fields: [{ name: '"x"', value: tree }] };
  return tree;
}

/** The same name, written in another way. */
function escaped(name: string): string {
  const [, first = 'x', rest = '"'] = /^"([a-z])(.*)$/.exec(name) ?? [];
  return String.raw`"\u${first.charCodeAt(0).toString(16).padStart(4, '0')}${rest}`;
}

type Mutation = (place: Place) => void;

const replaceBy =
  (change: (field: JsonField) => JsonTree): Mutation =>
  (place) => {
    place.fields[place.at] = { name: place.field.name, value: change(place.field) };
  };

const renameTo =
  (change: (name: string) => string): Mutation =>
  ({ fields, at, field }) => {
    fields[at] = { ...field, name: change(field.name) };
  };

const add =
  (change: (field: JsonField) => JsonField): Mutation =>
  ({ fields, field }) => {
    fields.push(change(field));
  };

const names = fc.constantFrom(...oddNames.map((name) => JSON.stringify(name)));
/** A bound of a number can be more than a text can hold, or a body. */
const longestText = 100_000;
const lengths = fc.constantFrom(
  ...bounds.flatMap((bound) => (bound > longestText ? [] : [bound, bound + 1, Math.max(0, bound - 1)])),
);

const mutations: fc.Arbitrary<Mutation> = fc.oneof(
  fc.constant<Mutation>(({ fields, at }) => void fields.splice(at, 1)),
  fc.constant(add((field) => field)),
  fc.constant(add(({ name, value }) => ({ name: escaped(name), value }))),
  fc.constant(renameTo((name) => name.toUpperCase())),
  fc.constant(renameTo(escaped)),
  names.map((name) => renameTo(() => name)),
  names.map((name) => add(({ value }) => ({ name, value }))),
  fc.constant(add(() => ({ name: '"constructor"', value: treeOf({ prototype: { x: 1 } }) }))),
  fc.constant(replaceBy(({ value }) => asOtherType(value))),
  fc.constant(replaceBy(({ name, value }) => ({ kind: 'object', fields: [{ name, value }] }))),
  fc.nat(200).map((depth) => replaceBy(({ value }) => nested(value, depth))),
  fc.constantFrom(...oddJson).map((written) => replaceBy(() => json(written))),
  fc.constantFrom(...oddTexts).map((words) => replaceBy(() => text(words))),
  lengths.map((length) => replaceBy(({ value }) => withLength(value, length))),
  fc.constantFrom(0xff10, 0x660, 0x966, 0x1d7ce).map((zero) => replaceBy(({ value }) => withDigitsFrom(value, zero))),
  fc.jsonValue({ maxDepth: 2 }).map((value) => replaceBy(() => treeOf(value))),
);

/** Spoils a body, which has to be its own: in one place, or in a few. */
export const bodySpoilers: fc.Arbitrary<(body: JsonTree) => JsonTree> = fc
  .array(fc.tuple(fc.nat(), mutations), { minLength: 1, maxLength: 3 })
  .map((steps) => (body) => {
    for (const [number, mutate] of steps) {
      const places = placesIn(body);
      const place = places[number % Math.max(1, places.length)];
      if (place !== undefined) mutate(place);
    }
    return body;
  });
