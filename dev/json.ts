import assert from 'node:assert/strict';

/** What stands at a path of dots in an answer: receipt.final_amount. */
export function valueAt(json: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined),
      json,
    );
}

export function textAt(json: unknown, path: string): string {
  const value = valueAt(json, path);
  // Said only where it is so: to write a large answer down costs more than to look into it.
  if (typeof value !== 'string') assert.fail(`${path} is not a text in ${JSON.stringify(json)}`);
  return value;
}

export function optionalTextAt(json: unknown, path: string): string | null {
  return valueAt(json, path) === null ? null : textAt(json, path);
}

export function listAt(json: unknown, path: string): unknown[] {
  const value = valueAt(json, path);
  if (!Array.isArray(value)) assert.fail(`${path} is not a list in ${JSON.stringify(json)}`);
  return value;
}
