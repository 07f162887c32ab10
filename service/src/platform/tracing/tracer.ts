import type { OpenSpan, SpanStart } from '../spans.ts';

export interface Tracer {
  /** Begins the first span of an id's trace, which all others hang on. Null where the id is not sampled. */
  begin(id: string, start: SpanStart): OpenSpan | null;
  /** Does work that belongs to an id's trace, in whichever process that began. */
  follow<Result>(id: string, start: SpanStart, work: () => Promise<Result>): Promise<Result>;
  /** Sends what is left, within a moment. */
  stop(): Promise<void>;
}

export const noTracer: Tracer = {
  begin: () => null,
  follow: async (_id, _start, work) => work(),
  stop: async () => undefined,
};
