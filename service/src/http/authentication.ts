import type { FastifyRequest } from 'fastify';
import { Refusal, unauthorized } from '../platform/refusal.ts';

/** Who is calling: an API key, and the partner and environment that it stands for. */
export interface Caller {
  keyId: string;
  keyPrefix: string;
  partnerId: string;
  environment: 'sandbox' | 'live';
}

export interface Authentication {
  /** A hook: whoever brings no key that is known and good gets no further, not even to having its body read. */
  requireKey: (request: FastifyRequest) => Promise<void>;
  callerOf: (request: FastifyRequest) => Caller;
  /** The same, or undefined where nobody has been asked, or has shown a key that is good. */
  findCaller: (request: FastifyRequest) => Caller | undefined;
}

const bearerForm = /^Bearer +(\S+) *$/i;

export function createAuthentication(identify: (secret: string) => Promise<Caller | null>): Authentication {
  const callers = new WeakMap<FastifyRequest, Caller>();
  return {
    async requireKey(request) {
      const [, secret] = bearerForm.exec(request.headers.authorization ?? '') ?? [];
      const caller = secret === undefined ? null : await identify(secret);
      if (caller === null) throw new Refusal(unauthorized);
      callers.set(request, caller);
    },
    callerOf(request) {
      const caller = callers.get(request);
      if (caller === undefined) throw new Error('this route does not ask who is calling');
      return caller;
    },
    findCaller: (request) => callers.get(request),
  };
}
