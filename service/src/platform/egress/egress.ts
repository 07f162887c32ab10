// Requests to addresses that partners chose. They reach public addresses only, and cost us a bounded time and memory.
import { Agent } from 'undici';
import { createResolve, type Resolve } from './checked-lookup.ts';
import { createConnector, createProxyConnector } from './connector.ts';
import { brokenRule } from './endpoint-url.ts';
import { Exchange, type EgressResult } from './exchange.ts';
import { createAddressCheck } from './public-address.ts';

export interface EgressRequest {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string | Buffer;
  /** Whether http:// is allowed: in the sandbox only. */
  mayBePlain: boolean;
}

export interface Egress {
  /**
   * Sends one POST. What the other side does is a result and never an error; a redirect is an answer like any other. It
   * rejects with the signal's reason once that is aborted.
   */
  post(request: EgressRequest, signal?: AbortSignal): Promise<EgressResult>;
  /** Ends open requests as `connection_lost`. */
  close(): Promise<void>;
}

export interface EgressOptions {
  /** An http:// proxy for all requests, or null. */
  proxyUrl: string | null;
  /** Networks in CIDR notation that may be reached besides public addresses. Development only. */
  allowed: readonly string[];
  timeoutMs?: number;
  resolve?: Resolve;
  /** An authority to trust instead of the usual ones. */
  ca?: string;
}

/** From the call to the end of the answer. */
const totalTimeoutMs = 10_000;
/** Partners can share a host, such as that of an automation service: one that hangs must leave connections to the others. */
const connectionsPerOrigin = 64;
const idleTimeoutMs = 4_000;
const maxHeaderBytes = 16 * 1024;

/** Nothing is decompressed: a small answer could become a huge one. */
const ownHeaders = { 'user-agent': 'Kelpie-Webhooks/1', 'accept-encoding': 'identity' };

export function createEgress({
  proxyUrl,
  allowed,
  timeoutMs = totalTimeoutMs,
  resolve = createResolve(),
  ca,
}: EgressOptions): Egress {
  const check = createAddressCheck(allowed);
  const proxy = proxyUrl === null ? null : createProxyConnector(proxyUrl, { check, ca });
  const agent = new Agent({
    connect: proxy === null ? createConnector({ check, resolve, ca }) : proxy.connect,
    allowH2: false,
    pipelining: 1,
    connections: connectionsPerOrigin,
    keepAliveTimeout: idleTimeoutMs,
    // Whatever the server's own hint says.
    keepAliveMaxTimeout: idleTimeoutMs,
    maxHeaderSize: maxHeaderBytes,
  });

  async function send({ url, headers, body }: EgressRequest, signal?: AbortSignal): Promise<EgressResult> {
    const { origin, pathname, search } = new URL(url);
    const exchange = new Exchange(timeoutMs);
    const abort = (): void => exchange.abort(signal?.reason);
    signal?.addEventListener('abort', abort);
    const path = `${pathname}${search}`;
    agent.dispatch({ origin, path, method: 'POST', headers: { ...headers, ...ownHeaders }, body }, exchange);
    return exchange.result.finally(() => signal?.removeEventListener('abort', abort));
  }

  return {
    async post(request, signal) {
      signal?.throwIfAborted();
      if (brokenRule(request.url, request) !== null) return { kind: 'failed', latencyMs: 0, reason: 'invalid_url' };
      return send(request, signal);
    },
    async close() {
      await agent.destroy();
      await proxy?.close();
    },
  };
}
