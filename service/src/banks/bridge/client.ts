import { BrokenCircuitError, circuitBreaker, CircuitState, ConsecutiveBreaker, handleWhenResult } from 'cockatiel';
import type { Agent } from 'undici';
import type { Readiness } from '../port/payments.ts';
import { deadlineText, exchange, type HttpExchange, type HttpRequest } from '../http-exchange.ts';
import { createCallLimit } from './call-limit.ts';

export interface BridgeSettings {
  /** As in https://api.bridge.xyz/v0. */
  url: string;
  apiKey: string;
  /** A circuit opened or closed. */
  onCircuit?: (purpose: string, isOpen: boolean) => void;
  /** A call ended, with what it waited for its turn. */
  onExchange?: (purpose: string, result: HttpExchange, durationMs: number) => void;
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
  /** Whether a payment would be sent now: `busy` where it would wait too long for its turn, `resting` where it would not. */
  readiness(): Readiness;
}

/** After so many failures in a row the bank is left alone for a while, and callers hear at once that it can't be reached. */
const failuresThatOpen = 5;
const leaveAloneMs = 5_000;
/** A bank that answered something so lately is slow, or was given too little time: it is not gone. */
const silentMs = 4_000;
/** Of a call's time it may wait for its turn. What is left is enough for an answer: who waits longer would call in vain. */
const shareToWait = 1 / 3;
const circuitOpen = { kind: 'not_sent', text: 'circuit open' } as const;
const noTurn = { kind: 'not_sent', text: 'busy' } as const;

interface Circuit {
  run(ask: () => Promise<HttpExchange>): Promise<HttpExchange>;
  /** The bank is left alone just now. */
  isResting(): boolean;
}

/** Our own deadline says nothing of the bank, unless the bank says nothing at all. */
function createCircuit(onChange: (isOpen: boolean) => void): Circuit {
  let answeredAt = -Infinity;
  let openedAt = -Infinity;
  const isFailure = (result: unknown): boolean => {
    if (typeof result !== 'object' || result === null || !('kind' in result)) return true;
    if (result.kind === 'answered')
      return 'status' in result && typeof result.status === 'number' && result.status >= 500;
    const isLate = 'text' in result && result.text === deadlineText;
    return !isLate || performance.now() - answeredAt > silentMs;
  };
  const breaker = circuitBreaker(handleWhenResult(isFailure), {
    breaker: new ConsecutiveBreaker(failuresThatOpen),
    halfOpenAfter: leaveAloneMs,
  });
  breaker.onBreak(() => {
    openedAt = performance.now();
    onChange(true);
  });
  breaker.onReset(() => onChange(false));
  return {
    async run(ask) {
      // While one request tries whether the bank is back, the others do not wait for it: their callers have deadlines.
      if (breaker.state === CircuitState.HalfOpen) return circuitOpen;
      try {
        return await breaker.execute(async () => {
          const result = await ask();
          if (result.kind === 'answered') answeredAt = performance.now();
          return result;
        });
      } catch (error) {
        if (error instanceof BrokenCircuitError) return circuitOpen;
        throw error;
      }
    },
    isResting: () =>
      breaker.state === CircuitState.HalfOpen ||
      (breaker.state === CircuitState.Open && performance.now() - openedAt < leaveAloneMs),
  };
}

function howItEnded(result: HttpExchange): 'answered' | 'late' | 'failed' {
  if (result.kind === 'answered') return 'answered';
  return result.text === deadlineText ? 'late' : 'failed';
}

/** The wire: addresses, headers, time-outs, how many calls at a time, and the circuit breaker. It knows no meaning of what it carries. */
export function createBridgeClient(agent: Agent, settings: BridgeSettings): BridgeClient {
  const { url, apiKey, onCircuit, onExchange } = settings;
  const { origin, pathname } = new URL(url);
  const prefix = pathname.replace(/\/$/, '');
  const limit = createCallLimit();
  const circuitFor = (purpose: Purpose): Circuit => createCircuit((isOpen) => onCircuit?.(purpose, isOpen));
  // One for what pays and one for each other purpose: a bank that answers reads may still fail every payment.
  const circuits: Record<Purpose, Circuit> = {
    send: circuitFor('send'),
    register: circuitFor('register'),
    open: circuitFor('open'),
    verify: circuitFor('verify'),
    fund: circuitFor('fund'),
    read: circuitFor('read'),
  };
  const ask = async (
    purpose: Purpose,
    request: Omit<HttpRequest, 'origin'>,
    startedAt: number,
  ): Promise<HttpExchange> => {
    const circuit = circuits[purpose];
    if (circuit.isResting()) return circuitOpen;
    if (!(await limit.enter(request.timeoutMs * shareToWait))) return noTurn;
    const calledAt = performance.now();
    let how: 'answered' | 'late' | 'failed' = 'failed';
    try {
      const timeoutMs = Math.max(1, request.timeoutMs - (calledAt - startedAt));
      const result = await circuit.run(async () =>
        exchange(agent, { ...request, timeoutMs, origin, path: prefix + request.path }),
      );
      how = howItEnded(result);
      return result;
    } finally {
      limit.leave(how, performance.now() - calledAt);
    }
  };
  const send = async (purpose: Purpose, request: Omit<HttpRequest, 'origin'>): Promise<HttpExchange> => {
    const startedAt = performance.now();
    const result = await ask(purpose, request, startedAt);
    onExchange?.(purpose, result, performance.now() - startedAt);
    return result;
  };
  const headers = { 'api-key': apiKey, accept: 'application/json' };
  return {
    readiness: () => (circuits.send.isResting() ? 'resting' : limit.isFull() ? 'busy' : 'ready'),
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
