import { BrokenCircuitError, circuitBreaker, ConsecutiveBreaker, handleWhenResult } from 'cockatiel';
import type { Agent } from 'undici';
import { exchange, type HttpExchange, type HttpRequest } from '../http-exchange.ts';

export interface BridgeSettings {
  /** As in https://api.bridge.xyz/v0. */
  url: string;
  apiKey: string;
}

export interface BridgeClient {
  get(path: string, timeoutMs: number): Promise<HttpExchange>;
  post(path: string, body: object, options: { idempotencyKey: string; timeoutMs: number }): Promise<HttpExchange>;
  delete(path: string, timeoutMs: number): Promise<HttpExchange>;
}

/** After so many failures in a row the bank is left alone for a while, and callers hear at once that it can't be reached. */
const failuresThatOpen = 5;
const leaveAloneMs = 5_000;

function isFailure(result: unknown): boolean {
  if (typeof result !== 'object' || result === null || !('kind' in result)) return true;
  return (
    result.kind !== 'answered' || ('status' in result && typeof result.status === 'number' && result.status >= 500)
  );
}

/** The wire: addresses, headers, time-outs and the circuit breaker. It knows no meaning of what it carries. */
export function createBridgeClient(agent: Agent, { url, apiKey }: BridgeSettings): BridgeClient {
  const { origin, pathname } = new URL(url);
  const prefix = pathname.replace(/\/$/, '');
  const breaker = circuitBreaker(handleWhenResult(isFailure), {
    breaker: new ConsecutiveBreaker(failuresThatOpen),
    halfOpenAfter: leaveAloneMs,
  });
  const send = async (request: Omit<HttpRequest, 'origin'>): Promise<HttpExchange> => {
    try {
      return await breaker.execute(async () => exchange(agent, { ...request, origin, path: prefix + request.path }));
    } catch (error) {
      if (error instanceof BrokenCircuitError) return { kind: 'not_sent', text: 'circuit open' };
      throw error;
    }
  };
  const headers = { 'api-key': apiKey, accept: 'application/json' };
  return {
    get: async (path, timeoutMs) => send({ method: 'GET', path, headers, timeoutMs }),
    delete: async (path, timeoutMs) => send({ method: 'DELETE', path, headers, timeoutMs }),
    post: async (path, body, { idempotencyKey, timeoutMs }) =>
      send({
        method: 'POST',
        path,
        headers: { ...headers, 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
        body: JSON.stringify(body),
        timeoutMs,
      }),
  };
}
