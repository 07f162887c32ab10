import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Authentication } from './authentication.ts';
import type { Caller } from './caller.ts';
import { refusalOf } from './errors.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What a request to this route is called in the list of what was asked: `payout.create`. */
    action?: string;
  }
}

interface AnsweredRequest extends Pick<Caller, 'partnerId' | 'environment'> {
  id: string;
  action: string;
  status: number;
  by: string;
  detail: string | null;
}

export interface ActivityLog {
  /** Says which thing a request was about. Without it, that is the id in its address. */
  isAbout(request: FastifyRequest, detail: string): void;
  /** The commit that fixed the answer has written it down already. */
  isRecorded(request: FastifyRequest): void;
}

function idOf({ params }: FastifyRequest): string | null {
  return typeof params === 'object' && params !== null && 'id' in params && typeof params.id === 'string'
    ? params.id
    : null;
}

/** Writes down every request of a known caller once it is answered, under the id by which the caller knows it too. */
export function logActivity(
  app: FastifyInstance,
  { findCaller }: Pick<Authentication, 'findCaller'>,
  record: (answered: AnsweredRequest) => void,
): ActivityLog {
  const details = new WeakMap<FastifyRequest, string>();
  const recorded = new WeakSet<FastifyRequest>();
  app.addHook('onResponse', (request, reply, done) => {
    const { action } = request.routeOptions.config;
    const caller = findCaller(request);
    const refusal = reply.statusCode < 400 ? undefined : refusalOf(request);
    const isKnown = refusal === undefined ? recorded.has(request) : refusal.isRecorded;
    if (action !== undefined && caller !== undefined && !isKnown) {
      record({
        id: request.id,
        partnerId: caller.partnerId,
        environment: caller.environment,
        action,
        status: reply.statusCode,
        by: caller.by,
        detail: refusal?.code ?? details.get(request) ?? idOf(request),
      });
    }
    done();
  });
  return {
    isAbout: (request, detail) => void details.set(request, detail),
    isRecorded: (request) => void recorded.add(request),
  };
}
