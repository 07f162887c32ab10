/** A line that one of our programs logged. */
export interface LogLine {
  event: string;
  [field: string]: unknown;
}

/** Undefined for what a program says in other words than a log line's. */
export function parseLogLine(text: string): LogLine | undefined {
  if (!text.startsWith('{"')) return undefined;
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof parsed !== 'object' || parsed === null) return undefined;
  const event: unknown = Reflect.get(parsed, 'event');
  return typeof event === 'string' ? { ...parsed, event } : undefined;
}

const hidden = new Set(['level', 'time', 'process', 'event', 'request_id']);

/** One line for a person's eyes: who, what, and the fields that are left. */
export function formatLine(name: string, text: string): string {
  const label = name.padEnd(7);
  const line = parseLogLine(text);
  if (line === undefined) return `${label} ${text}`;
  const rest = Object.entries(line)
    .filter(([field]) => !hidden.has(field))
    .map(([field, value]) => `${field}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const time = typeof line['time'] === 'string' ? line['time'].slice(11, 19) : '';
  const level = typeof line['level'] === 'string' ? line['level'] : '';
  return `${label} ${time} ${level.padEnd(5)} ${line.event} ${rest.join(' ')}`;
}
