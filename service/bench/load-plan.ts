import type { Counted, Window } from './completions.ts';

/** What the load generator is to send, until it is stopped. */
export interface LoadPlan {
  port: number;
  /** Each waits for its answer before it sends again. */
  connections: number;
  /** Whole requests, one of which is taken at random each time. `keyMark` in one stands for a fresh idempotency key. */
  requests: readonly string[];
  /** 503 stops it, and any other status of an answer ends the run. */
  status: number;
}

export const keyMark = '@KEY@';

/** What it saw until it was stopped. `refused` requests were answered 503, or not at all once it had stopped. */
interface Seen {
  kind: 'counted';
  counted: Counted | null;
  total: number;
  refused: number;
  firstRefusal: string;
}

/** It answers the first once every connection has had an answer, and the second with what it counted. */
export type GeneratorAnswer = { kind: 'begun' } | Seen;
export type GeneratorOrder = { kind: 'start'; plan: LoadPlan } | { kind: 'stop'; window: Window };
