import type { FastifyRequest } from 'fastify';
import { Refusal, unauthorized } from '../platform/refusal.ts';
import { networkOf } from './caller-network.ts';
import { settleLimit, type HeaderWriter, type RateLimits } from './rate-limit.ts';

/** Who is calling: an API key, and the partner and environment that it stands for. */
export interface Caller {
  keyId: string;
  keyPrefix: string;
  partnerId: string;
  environment: 'sandbox' | 'live';
}

export interface Authentication {
  /**
   * A hook: whoever brings no key that is known and good, or asks more often than its limit allows, gets no further, not
   * even to having its body read.
   */
  requireKey: (request: FastifyRequest, reply: HeaderWriter) => Promise<void>;
  callerOf: (request: FastifyRequest) => Caller;
  /** The same, or undefined where nobody has been asked, or has shown a key that is good. */
  findCaller: (request: FastifyRequest) => Caller | undefined;
}

const bearerForm = /^Bearer +(\S+) *$/i;

export function createAuthentication(
  identify: (secret: string) => Promise<Caller | null>,
  limits: Pick<RateLimits, 'requests' | 'open'>,
): Authentication {
  const callers = new WeakMap<FastifyRequest, Caller>();
  return {
    async requireKey(request, reply) {
      const [, secret] = bearerForm.exec(request.headers.authorization ?? '') ?? [];
      const caller = secret === undefined ? null : await identify(secret);
      if (caller !== null) callers.set(request, caller);
      const taken = caller === null ? limits.open.take(networkOf(request.ip)) : limits.requests.take(caller.keyId);
      // Awaited only where there is something to wait for: this is on the way of every request.
      const refusal = settleLimit(reply, taken instanceof Promise ? await taken : taken);
      if (refusal !== undefined) throw refusal;
      if (caller === null) throw new Refusal(unauthorized);
    },
    callerOf(request) {
      const caller = callers.get(request);
      if (caller === undefined) throw new Error('this route does not ask who is calling');
      return caller;
    },
    findCaller: (request) => callers.get(request),
  };
}
