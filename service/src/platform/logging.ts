import { pino, type DestinationStream, type Logger } from 'pino';
import { Refusal } from './refusal.ts';

export type { Logger };

/**
 * The only fields that a log line may carry. Whatever else is handed to the logger is left out and its name noted, so a
 * bank detail or a secret can't reach a log by being passed along with something else.
 */
const allowedFields = new Set([
  'action',
  'address',
  'attempt',
  'duration_ms',
  'environment',
  'error',
  'error_code',
  'job_id',
  'method',
  'metrics_port',
  'migration',
  'mode',
  'partitions',
  'partner_id',
  'payout_id',
  'port',
  'process',
  'queue',
  'request_id',
  'route',
  'signal',
  'status',
]);

interface LoggedError {
  name: string;
  code?: string;
  text?: string;
  at: string[];
}

function stringProperty(error: object, property: string): string | undefined {
  const value: unknown = Reflect.get(error, property);
  return typeof value === 'string' ? value : undefined;
}

/**
 * The message of an error that we did not write may quote a row's values, so it is left out: its type, its code (and
 * the constraint, where the database refused) and the places in the code say enough to find it.
 */
function describeError(error: unknown): LoggedError {
  if (typeof error !== 'object' || error === null) return { name: typeof error, at: [] };
  // The stack begins with the message itself, on as many lines as it has.
  const message = stringProperty(error, 'message') ?? '';
  const frames = (stringProperty(error, 'stack') ?? '').split('\n').slice(message.split('\n').length);
  const code = stringProperty(error, 'code');
  const text = error instanceof Refusal ? (error.internal ?? error.message) : stringProperty(error, 'constraint');
  return {
    name: stringProperty(error, 'name') ?? 'object',
    ...(code === undefined ? {} : { code }),
    ...(text === undefined ? {} : { text }),
    at: frames.slice(0, 8).map((line) => line.trim().slice(3)),
  };
}

function keepAllowed(fields: Record<string, unknown>): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  const dropped: string[] = [];
  for (const [name, value] of Object.entries(fields)) {
    if (!allowedFields.has(name)) dropped.push(name);
    else kept[name] = name === 'error' ? describeError(value) : value;
  }
  return dropped.length === 0 ? kept : { ...kept, dropped_fields: dropped };
}

/** Structured lines on standard output. `process` names who speaks: api, worker, cli. */
export function createLogger(process: string, level: string, stream: DestinationStream = pino.destination(1)): Logger {
  const logger = pino(
    {
      level,
      base: { process },
      messageKey: 'event',
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: keepAllowed },
    },
    stream,
  );
  // The formatter above sees what is logged, but not what a child logger is given to say with every line.
  const child: unknown = Reflect.get(logger, 'child');
  if (typeof child !== 'function') throw new Error('the logger has no children');
  Object.defineProperty(logger, 'child', {
    value(this: unknown, bindings: Record<string, unknown>, options?: object): unknown {
      return Reflect.apply(child, this, [keepAllowed(bindings), options]);
    },
  });
  return logger;
}
