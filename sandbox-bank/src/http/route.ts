import type { Transaction } from '../database.ts';
import type { FaultPoint } from '../faults.ts';
import type { Fields } from './fields.ts';

export interface Answer {
  status: number;
  body: object;
  /** What is done right before the commit: it locks what other requests wait for. It may still refuse. */
  lastly?: () => Promise<void>;
}

export interface RouteRequest {
  tx: Transaction;
  /** The bank's time, the same for all that this request does. */
  at: Date;
  /** An id in the address; what is not one has no thing behind it. */
  id: (name: string) => string;
  query: Fields;
  body: Fields;
  idempotencyKey: string | null;
  /** Other than zero where a fault makes the bank take the wrong amount. */
  takeMoreMicroUsdc: bigint;
}

/** One route: what it does happens in one transaction, and what it answers is sent after the commit. */
export interface Route {
  method: 'GET' | 'POST' | 'DELETE';
  url: string;
  /** How a fault names it. */
  faultPoint?: FaultPoint;
  perform(request: RouteRequest): Promise<Answer>;
}
