const hidden = new Set(['level', 'time', 'process', 'event', 'request_id']);

/** One log line for a person's eyes: who, what, and the fields that are left. */
export function formatLine(name: string, line: string): string {
  const label = name.padEnd(7);
  if (!line.startsWith('{')) return `${label} ${line}`;
  const fields: unknown = JSON.parse(line);
  if (typeof fields !== 'object' || fields === null) return `${label} ${line}`;
  const {
    time = '',
    level = '',
    event = '',
  } = Object.fromEntries(Object.entries(fields).map(([field, value]) => [field, String(value)]));
  const rest = Object.entries(fields)
    .filter(([field]) => !hidden.has(field))
    .map(([field, value]) => `${field}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  return `${label} ${time.slice(11, 19)} ${level.padEnd(5)} ${event} ${rest.join(' ')}`;
}
