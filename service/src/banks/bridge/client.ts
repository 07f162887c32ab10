import {
  BrokenCircuitError,
  circuitBreaker,
  CircuitState,
  ConsecutiveBreaker,
  handleWhenResult,
  type CircuitBreakerPolicy,
} from 'cockatiel';
import type { Agent } from 'undici';
import { exchange, type HttpExchange, type HttpRequest } from '../http-exchange.ts';

export interface BridgeSettings {
  /** As in https://api.bridge.xyz/v0. */
  url: string;
  apiKey: string;
}

type Purpose = 'send' | 'register' | 'open' | 'verify' | 'fund' | 'read';

interface PostOptions {
  purpose: Purpose;
  idempotencyKey: string;
  timeoutMs: number;
}

export interface BridgeClient {
  get(path: string, timeoutMs: number, purpose?: Purpose): Promise<HttpExchange>;
  post(path: string, body: object, options: PostOptions): Promise<HttpExchange>;
  delete(path: string, timeoutMs: number): Promise<HttpExchange>;
}

/** After so many failures in a row the bank is left alone for a while, and callers hear at once that it can't be reached. */
const failuresThatOpen = 5;
const leaveAloneMs = 5_000;
const circuitOpen = { kind: 'not_sent', text: 'circuit open' } as const;

function isFailure(result: unknown): boolean {
  if (typeof result !== 'object' || result === null || !('kind' in result)) return true;
  return (
    result.kind !== 'answered' || ('status' in result && typeof result.status === 'number' && result.status >= 500)
  );
}

function createBreaker(): CircuitBreakerPolicy {
  return circuitBreaker(handleWhenResult(isFailure), {
    breaker: new ConsecutiveBreaker(failuresThatOpen),
    halfOpenAfter: leaveAloneMs,
  });
}

/** The wire: addresses, headers, time-outs and the circuit breaker. It knows no meaning of what it carries. */
export function createBridgeClient(agent: Agent, { url, apiKey }: BridgeSettings): BridgeClient {
  const { origin, pathname } = new URL(url);
  const prefix = pathname.replace(/\/$/, '');
  // One for what pays and one for each other purpose: a bank that answers reads may still fail every payment.
  const breakers: Record<Purpose, CircuitBreakerPolicy> = {
    send: createBreaker(),
    register: createBreaker(),
    open: createBreaker(),
    verify: createBreaker(),
    fund: createBreaker(),
    read: createBreaker(),
  };
  const send = async (purpose: Purpose, request: Omit<HttpRequest, 'origin'>): Promise<HttpExchange> => {
    const breaker = breakers[purpose];
    // While one request tries whether the bank is back, the others do not wait for it: their callers have deadlines.
    if (breaker.state === CircuitState.HalfOpen) return circuitOpen;
    try {
      return await breaker.execute(async () => exchange(agent, { ...request, origin, path: prefix + request.path }));
    } catch (error) {
      if (error instanceof BrokenCircuitError) return circuitOpen;
      throw error;
    }
  };
  const headers = { 'api-key': apiKey, accept: 'application/json' };
  return {
    get: async (path, timeoutMs, purpose = 'read') => send(purpose, { method: 'GET', path, headers, timeoutMs }),
    delete: async (path, timeoutMs) => send('read', { method: 'DELETE', path, headers, timeoutMs }),
    post: async (path, body, { purpose, idempotencyKey, timeoutMs }) =>
      send(purpose, {
        method: 'POST',
        path,
        headers: { ...headers, 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
        body: JSON.stringify(body),
        timeoutMs,
      }),
  };
}
