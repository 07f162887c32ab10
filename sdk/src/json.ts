export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function isDescribed<Described>(json: object): json is Described & object {
  return isObject(json);
}

/** The API keeps to its description, which its own tests see to: here an answer only has to be an object, as all are. */
export function described<Described>(json: object): Described {
  if (!isDescribed<Described>(json)) throw new TypeError('every answer is an object');
  return json;
}

/** What a name stands for in something that came over the wire: undefined where it is not there. */
export function valueOf(json: unknown, name: string): unknown {
  return isObject(json) ? Reflect.get(json, name) : undefined;
}

export function textOf(json: unknown, name: string): string | undefined {
  const value = valueOf(json, name);
  return typeof value === 'string' ? value : undefined;
}

export function listOf(json: unknown, name: string): readonly unknown[] {
  const value = valueOf(json, name);
  return Array.isArray(value) ? value : [];
}

/** Undefined for what is not JSON: a proxy's page, or an answer that was cut off. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
