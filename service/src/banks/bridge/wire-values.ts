/** The published examples contradict the schemas, so nothing is taken for granted: each value is looked for and checked. */
export function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** The value at a path of names, or undefined where there is none. */
export function valueAt(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (inner, name) =>
      typeof inner === 'object' && inner !== null && Object.hasOwn(inner, name) ? Reflect.get(inner, name) : undefined,
    value,
  );
}

export function textAt(value: unknown, ...path: readonly string[]): string | undefined {
  const found = valueAt(value, ...path);
  return typeof found === 'string' && found !== '' ? found : undefined;
}

/** Rates and amounts are texts in some places and numbers in others. */
export function decimalAt(value: unknown, ...path: readonly string[]): string | undefined {
  const found = valueAt(value, ...path);
  return typeof found === 'number' ? String(found) : typeof found === 'string' ? found : undefined;
}

export function instantAt(value: unknown, ...path: readonly string[]): Date | null {
  const at = new Date(textAt(value, ...path) ?? '');
  return Number.isNaN(at.getTime()) ? null : at;
}

/** An address that a browser may be sent to: a link with another scheme could run something there. */
export function webAddressAt(value: unknown, ...path: readonly string[]): string | null {
  const url = URL.parse(textAt(value, ...path) ?? '');
  return url !== null && ['http:', 'https:'].includes(url.protocol) ? url.href : null;
}
