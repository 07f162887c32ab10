import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Authentication } from './auth/authentication.ts';
import type { Caller } from './auth/caller.ts';
import { apiErrorOf } from './errors/errors.ts';
import type { ApiError } from '../platform/api-error.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What a request to this route is called in the list of what was asked: `payout.create`. */
    action?: string;
    /** What it is called where it was refused, if that is something else. */
    refusedAction?: string;
  }
}

/** The action of a request with a good key that matches no route: a wrong path, or a wrong method. */
const unknownRequest = 'request.unknown';

interface AnsweredRequest {
  id: string;
  partnerId: string;
  environment: Caller['askedEnvironment'];
  action: string;
  status: number;
  by: string;
  detail: string | null;
  /** The caller had used up its rate limit, whatever the answer says. */
  isOverLimit: boolean;
}

export interface ActivityLog {
  /** Says which thing a request was about. Without it, that is the id in its address. */
  isAbout(request: FastifyRequest, detail: string): void;
  /** Says which environment a request was for, where its body or its resource says so. */
  isIn(request: FastifyRequest, environment: Caller['environment']): void;
  /** The commit that fixed the answer has written it down already. */
  isRecorded(request: FastifyRequest): void;
}

function idOf({ params }: FastifyRequest): string | null {
  return typeof params === 'object' && params !== null && 'id' in params && typeof params.id === 'string'
    ? params.id
    : null;
}

function actionOf(
  { is404, routeOptions: { config } }: FastifyRequest,
  apiError: ApiError | undefined,
): string | undefined {
  if (is404 || apiError?.code === 'method_not_allowed') return unknownRequest;
  return apiError !== undefined ? (config.refusedAction ?? config.action) : config.action;
}

/** Whoever has a file has it for good, wherever they take it. */
function isFile(reply: FastifyReply): boolean {
  return String(reply.getHeader('content-disposition') ?? '').startsWith('attachment');
}

/**
 * A person's page looks again every few seconds: what it saw would wash out of the list what people did, and what programs
 * asked. So of people only what they did is noted, which files they took, and what they were refused.
 */
function isLook({ method, routeOptions: { config } }: FastifyRequest, { via }: Caller): boolean {
  return via === 'dashboard' && (method === 'GET' || method === 'HEAD' || config.access === 'readers');
}

/** Writes down every request of a known caller once it is answered, under the id by which the caller knows it too. */
export function logActivity(
  app: FastifyInstance,
  { findCaller, isOverLimit }: Pick<Authentication, 'findCaller' | 'isOverLimit'>,
  record: (answered: AnsweredRequest) => void,
): ActivityLog {
  const details = new WeakMap<FastifyRequest, string>();
  const environments = new WeakMap<FastifyRequest, Caller['environment']>();
  const recorded = new WeakSet<FastifyRequest>();
  const environmentOf = (request: FastifyRequest, caller: Caller): Caller['askedEnvironment'] =>
    environments.get(request) ?? caller.askedEnvironment;
  app.addHook('onResponse', (request, reply, done) => {
    const caller = findCaller(request);
    const apiError = reply.statusCode < 400 ? undefined : apiErrorOf(request);
    const action = actionOf(request, apiError);
    const isKnown = apiError === undefined ? recorded.has(request) : apiError.isRecorded;
    if (action !== undefined && caller !== undefined && !isKnown) {
      const isLeftOut = apiError === undefined && isLook(request, caller) && !isFile(reply);
      const detail = apiError?.code ?? details.get(request) ?? idOf(request);
      const { partnerId, by } = caller;
      const asked = { id: request.id, partnerId, environment: environmentOf(request, caller), action, by };
      if (!isLeftOut) record({ ...asked, status: reply.statusCode, detail, isOverLimit: isOverLimit(request) });
    }
    done();
  });
  return {
    isAbout: (request, detail) => void details.set(request, detail),
    isIn: (request, environment) => void environments.set(request, environment),
    isRecorded: (request) => void recorded.add(request),
  };
}
