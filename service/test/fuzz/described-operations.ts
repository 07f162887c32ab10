import { listAt, textAt, valueAt } from '@kelpie/dev/json.ts';
import { description, operations, type Operation } from '../harness/contract.ts';

// What openapi.json says can be asked. The fuzzer knows no operation by itself, so that a new one is tried as well.

export interface Parameter {
  name: string;
  place: 'path' | 'query' | 'header';
  isRequired: boolean;
  schema: unknown;
}

export interface DescribedOperation {
  id: string;
  method: string;
  /** With braces: /v1/payouts/{id}. */
  path: string;
  parameters: readonly Parameter[];
  /** The schema of what it takes, or undefined. */
  body: unknown;
}

/** The schema itself, where there is a reference to it. */
export function resolve(schema: unknown): unknown {
  const reference = valueAt(schema, '$ref');
  return typeof reference === 'string'
    ? resolve(valueAt(description, reference.slice(2).replaceAll('/', '.')))
    : schema;
}

function parameterOf(described: unknown): Parameter {
  const place = textAt(described, 'in');
  if (place !== 'path' && place !== 'query' && place !== 'header') throw new Error(`a parameter in a ${place}`);
  const name = textAt(described, 'name');
  return {
    // Every header has one spelling here, so that it is found by its name.
    name: place === 'header' ? name.toLowerCase() : name,
    place,
    isRequired: valueAt(described, 'required') === true,
    schema: resolve(valueAt(described, 'schema')),
  };
}

function describedOf({ id, method, path, described }: Operation): DescribedOperation {
  const parameters = valueAt(described, 'parameters') === undefined ? [] : listAt(described, 'parameters');
  const body = valueAt(described, 'requestBody.content.application/json.schema');
  return { id, method, path, parameters: parameters.map(parameterOf), body: resolve(body) };
}

export const describedOperations: readonly DescribedOperation[] = operations.map(describedOf);

/** Every bound that the description sets anywhere: the lengths and numbers that are worth trying. */
function boundsIn(part: unknown): number[] {
  if (typeof part !== 'object' || part === null) return [];
  return Object.entries(part).flatMap(([name, value]) =>
    /^(min|max)/.test(name) && typeof value === 'number' ? [value] : boundsIn(value),
  );
}

export const bounds: readonly number[] = [...new Set([0, ...boundsIn(description)])];

/** The texts of the example bodies, by the field they stand in. */
function textsIn(part: unknown, field: string): [field: string, text: string][] {
  if (typeof part === 'string') return [[field, part]];
  if (typeof part !== 'object' || part === null) return [];
  return Object.entries(part).flatMap(([name, value]) => textsIn(value, name));
}

const exampleTexts = Map.groupBy(
  operations.flatMap(({ described }) => {
    const examples = valueAt(described, 'requestBody.content.application/json.examples') ?? {};
    return Object.values(examples).flatMap((example) => textsIn(valueAt(resolve(example), 'value'), ''));
  }),
  ([field]) => field,
);

/** What the examples hold in a field of this name: right by more than its form. */
export function examplesOf(field: string): string[] {
  return (exampleTexts.get(field) ?? []).map(([, text]) => text);
}
