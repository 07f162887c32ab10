import { pino, type DestinationStream, type Logger } from 'pino';
import { ApiError } from './api-error.ts';
import { openLogDestination } from './log-destination.ts';
import { createLineLimit } from './log-limit.ts';

export type { Logger };

/**
 * The only fields that a log line may carry, as plain values. Whatever else is handed to the logger is left out and its
 * name noted, so a bank detail or a secret can't reach a log by being passed along with something else.
 */
const allowedFields = new Set([
  'action',
  'attempt',
  'buckets',
  'caller_id',
  'case_id',
  'commit',
  'deposit_id',
  'differences',
  'duration_ms',
  'environment',
  'error',
  'error_code',
  'invoices',
  'job_id',
  'lines',
  'mail_id',
  'mail_kind',
  'mails',
  'method',
  'metrics_port',
  'migration',
  'mode',
  'month',
  'network',
  'partitions',
  'partner_id',
  'payout_id',
  'payouts',
  'port',
  'process',
  'queue',
  'repeated',
  'request_id',
  'requests',
  'route',
  'rows',
  'signal',
  'sources',
  'spans',
  'status',
  'version',
]);

/** What is said is a name of ours for what happened, never a sentence with values in it. */
const eventForm = /^[a-z][a-z0-9_.]{0,59}$/;
const nameForm = /^[A-Za-z0-9_]{1,60}$/;
/** A place in the code. Anything else in a stack may be a line of the message, which may quote a row. */
const frameForm = /^\s+at (?:.* \()?(?:file:\/\/|node:)\S*:\d+:\d+\)?$/;
const longestValue = 200;

export interface DescribedError {
  name: string;
  code?: string;
  /** The code of what a refusal was caused by. */
  cause?: string;
  text?: string;
  at: string[];
}

function stringProperty(error: object, property: string): string | undefined {
  const value: unknown = Reflect.get(error, property);
  return typeof value === 'string' ? value : undefined;
}

function nameProperty(error: object, property: string): string | undefined {
  const value = stringProperty(error, property);
  return value === undefined || nameForm.test(value) ? value : 'withheld';
}

/** Errors of the driver and of our own that have no code, by the whole of their text: it names no value. */
const codesByText: ReadonlyMap<string, string> = new Map([
  ['Connection terminated', 'connection_lost'],
  ['Connection terminated unexpectedly', 'connection_lost'],
  ['Client has encountered a connection error and is not queryable', 'connection_lost'],
  ['Connection terminated due to connection timeout', 'connect_timeout'],
  ['timeout exceeded when trying to connect', 'connect_timeout'],
  ['timeout expired', 'connect_timeout'],
  ['Query read timeout', 'query_timeout'],
  ['timed out', 'timeout'],
]);

function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  return nameProperty(error, 'code') ?? codesByText.get(stringProperty(error, 'message') ?? '');
}

/** What tells errors of one event apart: of a refusal, what it was caused by. */
function kindOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  return codeOf(Reflect.get(error, 'cause')) ?? codeOf(error) ?? nameOf(error);
}

/** Of an error that says that the database is away, by its own code, the server's or the operating system's. */
const outageCode =
  /^(unavailable|connection_lost|database_\w+|08\w{3}|25006|57P0\d|E(CONN|HOST|NET)\w+|EPIPE|ETIMEDOUT)$/;

/** Everything that needs the database while it is away ends so. */
function isOutage(error: unknown): boolean {
  return outageCode.test(codeOf(error) ?? '');
}

/** The job engine hands over copies of errors: these have lost their name, and their stack begins with it. */
function nameOf(error: object): string {
  const [ofStack] = /^(?:[A-Z][A-Za-z]{0,40})?[Ee]rror(?=:)/.exec(stringProperty(error, 'stack') ?? '') ?? [];
  return nameProperty(error, 'name') ?? ofStack ?? 'object';
}

/**
 * The message of an error that we did not write may quote a row's values, so it is left out: its type, its code (and
 * the constraint, where the database refused) and the places in the code say enough to find it.
 */
export function describeError(error: unknown): DescribedError {
  if (typeof error !== 'object' || error === null) return { name: typeof error, at: [] };
  const code = codeOf(error);
  const cause = error instanceof ApiError ? kindOf(error.cause) : undefined;
  const text = error instanceof ApiError ? (error.internal ?? error.message) : nameProperty(error, 'constraint');
  const frames = (stringProperty(error, 'stack') ?? '').split('\n').filter((line) => frameForm.test(line));
  return {
    name: nameOf(error),
    ...(code === undefined ? {} : { code }),
    ...(cause === undefined ? {} : { cause }),
    ...(text === undefined ? {} : { text: text.slice(0, longestValue) }),
    at: frames.slice(0, 8).map((line) => line.trim().slice(3)),
  };
}

/** A number, a short text, or a few of them; nothing that could hold more inside. */
function plainValue(value: unknown): unknown {
  if (typeof value === 'string') return value.slice(0, longestValue);
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return value;
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) {
    return value.slice(0, 20).map((item) => item.slice(0, longestValue));
  }
  return undefined;
}

function keepAllowed(fields: object): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  const dropped: string[] = [];
  for (const name of Object.keys(fields)) {
    const value: unknown = Reflect.get(fields, name);
    const plain = allowedFields.has(name) ? (name === 'error' ? describeError(value) : plainValue(value)) : undefined;
    if (plain !== undefined) kept[name] = plain;
    else if (value !== undefined) dropped.push(nameForm.test(name) ? name : 'withheld');
  }
  return dropped.length === 0 ? kept : { ...kept, dropped_fields: dropped };
}

/** Whatever a logger is called with becomes our fields and our event; a library's own sentence does not pass. */
function readCall(call: readonly unknown[]): [object, string] {
  const [first, second] = call;
  const fields = first instanceof Error ? { error: first } : typeof first === 'object' && first !== null ? first : {};
  const event = typeof first === 'string' ? first : second;
  return [fields, typeof event === 'string' && eventForm.test(event) ? event : 'text_withheld'];
}

/** Makes a method of the logger pass only allowed fields on, for it and for every child. */
function guard(logger: Logger, method: 'child' | 'setBindings'): void {
  const original: unknown = Reflect.get(logger, method);
  if (typeof original !== 'function') throw new Error(`the logger has no ${method}`);
  Object.defineProperty(logger, method, {
    value(this: unknown, bindings: object): unknown {
      return Reflect.apply(original, this, [keepAllowed(bindings)]);
    },
  });
}

/** Keeps the part up to the second: formatting a whole date for each line was 2% of the api's time for reading a payout. */
function createLineTime(): () => string {
  let second = -1;
  let start = '';
  return () => {
    const nowMs = Date.now();
    const ms = nowMs % 1_000;
    if (nowMs - ms !== second) {
      second = nowMs - ms;
      start = `,"time":"${new Date(second).toISOString().slice(0, -4)}`;
    }
    return `${start}${String(ms).padStart(3, '0')}Z"`;
  };
}

const summaryEveryMs = 1_000;

/** Where lines go instead of standard output, or who hears of each that standard output did not take. */
type LogOutput = DestinationStream | { onDropped: () => void };

/**
 * Structured lines on standard output. `process` names who speaks: api, worker, cli. What an outage repeats is written a few
 * times a second and counted besides; a reader that stalls loses lines, which are counted too.
 */
export function createLogger(process: string, level: string, output?: LogOutput): Logger {
  const limit = createLineLimit();
  let timer: NodeJS.Timeout | undefined;
  const summarize = (): void => {
    timer = undefined;
    logger.warn({ repeated: limit.takeRepeats() }, 'log.repeated');
  };
  const reportDropped = (lines: number): void => logger.warn({ lines }, 'log.dropped');
  const openOutput = (): DestinationStream => {
    if (output !== undefined && 'write' in output) return output;
    return openLogDestination(1, { reportDropped, onDropped: output?.onDropped });
  };
  const logger = pino(
    {
      level,
      base: { process },
      messageKey: 'event',
      timestamp: createLineTime(),
      formatters: { level: (label) => ({ level: label }), log: keepAllowed },
      hooks: {
        logMethod(call, method) {
          const [fields, event] = readCall(call);
          const error: unknown = Reflect.get(fields, 'error');
          const code = kindOf(error) ?? stringProperty(fields, 'error_code') ?? stringProperty(fields, 'action');
          const status: unknown = Reflect.get(fields, 'status');
          const isWritten = limit.admit({ event, code, status, isOutage: isOutage(error) });
          if (isWritten) Reflect.apply(method, this, [fields, event]);
          else timer ??= setTimeout(summarize, summaryEveryMs).unref();
        },
      },
    },
    openOutput(),
  );
  guard(logger, 'child');
  guard(logger, 'setBindings');
  return logger;
}
