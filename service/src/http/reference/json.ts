export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object under this name, or an empty one. */
export function objectIn(around: unknown, name: string): JsonObject {
  const value = isObject(around) ? around[name] : undefined;
  return isObject(value) ? value : {};
}

export function textIn(around: unknown, name: string): string {
  const value = isObject(around) ? around[name] : undefined;
  return typeof value === 'string' ? value : '';
}

export function mapValues(around: JsonObject, change: (value: unknown, name: string) => unknown): JsonObject {
  return Object.fromEntries(Object.entries(around).map(([name, value]) => [name, change(value, name)]));
}
