import { valueAt } from '@kelpie/dev/json.ts';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import * as fc from 'fast-check';
import { examplesOf, resolve } from './described-operations.ts';
import { canaryOfField, oddTexts } from './odd-values.ts';

// From a schema to values that it takes.

const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);

/** A text is slow to make from a pattern, so most are made once: what counts is how they are combined. */
interface Texts {
  seed: number;
  /** How many of each kind are made; undefined makes a new one every time. */
  pool?: number;
}

function numberIn(schema: unknown, name: string): number | undefined {
  const value = valueAt(schema, name);
  return typeof value === 'number' ? value : undefined;
}

function listIn(schema: unknown, name: string): unknown[] | undefined {
  const value = valueAt(schema, name);
  return Array.isArray(value) ? value : undefined;
}

function objectFrom(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {};
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

const formats: Readonly<Record<string, fc.Arbitrary<string>>> = {
  email: fc.emailAddress(),
  uuid: fc.uuid(),
  uri: fc.webUrl(),
  date: fc.date({ noInvalidDate: true }).map((date) => date.toISOString().slice(0, 10)),
  'date-time': fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
};

/** As many as a field takes, of any script. */
function anyTexts(schema: unknown): fc.Arbitrary<string> {
  const maxLength = numberIn(schema, 'maxLength') ?? 200;
  return fc.string({ unit: 'grapheme', minLength: numberIn(schema, 'minLength') ?? 0, maxLength });
}

function textsOfPattern(schema: unknown, pattern: string): fc.Arbitrary<string> {
  try {
    return fc.stringMatching(new RegExp(pattern, 'u'));
  } catch {
    // A pattern of classes of characters, which the generator does not know: most texts fit those.
    return anyTexts(schema);
  }
}

function madeTexts(schema: unknown): fc.Arbitrary<string> {
  const format = valueAt(schema, 'format');
  const known = isText(format) ? formats[format] : undefined;
  const pattern = valueAt(schema, 'pattern');
  return known ?? (isText(pattern) ? textsOfPattern(schema, pattern) : anyTexts(schema));
}

function textsOf(schema: unknown, field: string, { seed, pool }: Texts): fc.Arbitrary<string> {
  const validate = ajv.compile<string>(objectFrom(schema));
  const fits = (value: unknown): value is string => validate(value);
  const made = madeTexts(schema).filter(fits);
  const usual = pool === undefined ? made : fc.constantFrom(...fc.sample(made, { seed, numRuns: pool }));
  // Right by more than their form.
  const best = [canaryOfField[field], ...(listIn(schema, 'examples') ?? []), ...examplesOf(field)].filter(fits);
  const odd = oddTexts.filter(fits);
  return fc.oneof(
    ...(best.length === 0 ? [] : [{ arbitrary: fc.constantFrom(...best), weight: 6 }]),
    ...(odd.length === 0 ? [] : [{ arbitrary: fc.constantFrom(...odd), weight: 1 }]),
    { arbitrary: usual, weight: 4 },
  );
}

function numbersOf(schema: unknown): fc.Arbitrary<number> {
  const min = numberIn(schema, 'minimum') ?? -1_000_000;
  const max = numberIn(schema, 'maximum') ?? 1_000_000;
  return fc.integer({ min, max });
}

function objectsOf(schema: unknown, texts: Texts): fc.Arbitrary<unknown> {
  const properties = Object.entries(objectFrom(valueAt(schema, 'properties')));
  const required = (listIn(schema, 'required') ?? []).filter(isText);
  const model = Object.fromEntries(
    properties.map(([name, part]): [string, fc.Arbitrary<unknown>] => [name, valuesOf(part, name, texts)]),
  );
  return fc.record(model, { requiredKeys: required, noNullPrototype: true });
}

/** Values that the schema takes. One that says nothing takes anything. */
export function valuesOf(described: unknown, field: string, texts: Texts): fc.Arbitrary<unknown> {
  const schema = resolve(described);
  if (valueAt(schema, 'const') !== undefined) return fc.constant(valueAt(schema, 'const'));
  const choices = listIn(schema, 'enum');
  if (choices !== undefined) return fc.constantFrom(...choices);
  const kinds = listIn(schema, 'anyOf') ?? listIn(schema, 'oneOf');
  if (kinds !== undefined) return fc.oneof(...kinds.map((kind) => valuesOf(kind, field, texts)));
  const types = [valueAt(schema, 'type')].flat();
  return fc.oneof(...types.map((type) => valuesOfType(type, { schema, field, texts })));
}

function valuesOfType(
  type: unknown,
  { schema, field, texts }: { schema: unknown; field: string; texts: Texts },
): fc.Arbitrary<unknown> {
  switch (type) {
    case 'object':
      return objectsOf(schema, texts);
    case 'array':
      return fc.array(valuesOf(valueAt(schema, 'items'), field, texts), { maxLength: 5 });
    case 'string':
      return textsOf(schema, field, texts);
    case 'integer':
    case 'number':
      return numbersOf(schema);
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    default:
      return fc.jsonValue();
  }
}
