import { AsyncLocalStorage } from 'node:async_hooks';
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, type Span, type Tracer } from '@opentelemetry/api';
import { describeError } from './logging.ts';
import { allowedAttributes, type SpanAttributes } from './span-attributes.ts';

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL } as const;

/** What a span begins with. */
export interface SpanStart {
  name: string;
  /** `client` for a call to another process. */
  kind: keyof typeof kinds;
  attributes: SpanAttributes;
}

export function spanOptions({ kind, attributes }: SpanStart) {
  return { kind: kinds[kind], attributes: allowedAttributes(attributes) };
}

/** Set only while something of a sampled trace is under way: for all others, asking for it is the whole cost. */
const current = new AsyncLocalStorage<OpenSpan | undefined>();

/** A span that is under way. What is begun below it is of the same trace. */
export class OpenSpan {
  readonly #tracer: Tracer;
  readonly #span: Span;

  constructor(tracer: Tracer, span: Span) {
    this.#tracer = tracer;
    this.#span = span;
  }

  get isOpen(): boolean {
    return this.#span.isRecording();
  }

  begin(start: SpanStart): OpenSpan {
    const parent = trace.setSpan(ROOT_CONTEXT, this.#span);
    return new OpenSpan(this.#tracer, this.#tracer.startSpan(start.name, spanOptions(start), parent));
  }

  /** Does the work as what this span is about. */
  run<Result>(work: () => Result): Result {
    return current.run(this, work);
  }

  end(attributes: SpanAttributes = {}): void {
    this.#span.setAttributes(allowedAttributes(attributes));
    if (attributes['error.type'] !== undefined) this.#span.setStatus({ code: SpanStatusCode.ERROR });
    this.#span.end();
  }

  /** An error leaves nothing but its code: its text may quote a row. */
  fail(error: unknown): void {
    const { code, name } = describeError(error);
    this.end({ 'error.type': code ?? name });
  }
}

type Describe<Result> = (result: Result) => SpanAttributes;

/** Does the work as that of a span, which ends with it. */
export async function throughSpan<Result>(
  span: OpenSpan,
  work: () => Promise<Result>,
  describe?: Describe<Result>,
): Promise<Result> {
  try {
    const result = await span.run(work);
    span.end(describe?.(result));
    return result;
  } catch (error) {
    span.fail(error);
    throw error;
  }
}

/** The span to hang others on. What goes on after the answer, such as notes that are written for many, hangs on none. */
function openParent(): OpenSpan | undefined {
  const parent = current.getStore();
  return parent?.isOpen === true ? parent : undefined;
}

/** Does the work, with a span of its own where a sampled trace is under way. */
export async function inSpan<Result>(
  start: SpanStart,
  work: () => Promise<Result>,
  describe?: Describe<Result>,
): Promise<Result> {
  const parent = openParent();
  return parent === undefined ? work() : throughSpan(parent.begin(start), work, describe);
}

/** The same for a call of the database, by its name. */
export async function inDatabaseSpan<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  const parent = openParent();
  if (parent === undefined) return work();
  const attributes = { 'db.system.name': 'postgresql', 'db.query.summary': name };
  return throughSpan(parent.begin({ name, kind: 'client', attributes }), work);
}

/** For work that is done for many at once: it would count for who happened to come first. */
export function withoutSpan(work: () => void): void {
  if (current.getStore() === undefined) work();
  else current.run(undefined, work);
}
