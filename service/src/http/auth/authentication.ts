import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { ApiError, sessionEnded, unauthorized } from '../../platform/api-error.ts';
import { refuseByAccess, type Access } from './access.ts';
import type { Caller, KeyCaller, PersonCaller, SignedIn } from './caller.ts';
import { networkOf } from '../limits/caller-network.ts';
import { refuseOtherAccount } from './named-account.ts';
import { environmentOf } from './named-environment.ts';
import { settleLimit, type HeaderWriter, type RateLimits } from '../limits/rate-limit.ts';
import { refuseForeignOrigin, sessionTokenOf } from './session-cookie.ts';

export interface Authentication {
  /**
   * A hook: whoever brings neither a key nor a session that is good, may not do what the route is for, or asks more often
   * than its limit allows, gets no further, not even to having its body read.
   */
  requireCaller: (request: FastifyRequest, reply: HeaderWriter) => Promise<void>;
  callerOf: (request: FastifyRequest) => Caller;
  /** The same, or undefined where nobody has been asked, or has shown nothing that is good. */
  findCaller: (request: FastifyRequest) => Caller | undefined;
}

interface AuthenticationDeps {
  identifyKey: (secret: string) => Promise<KeyCaller | null>;
  identifySession: (token: string) => Promise<SignedIn | null>;
  limits: Pick<RateLimits, 'requests' | 'open'>;
  /** The address of the dashboard: from any other, a browser that is signed in may ask for nothing. */
  ownOrigin: string;
}

const bearerForm = /^Bearer +(\S+) *$/i;

function accessOf({ routeOptions: { config, url } }: FastifyRequest): Access {
  if (config.access === undefined) throw new Error(`${url} does not say who may ask`);
  return config.access;
}

/** The same for a person in every session and every account of theirs, in the form of an id. */
function limitIdOf(email: string): string {
  const digits = createHash('sha256').update(email).digest('hex');
  return digits.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

export function createAuthentication(deps: AuthenticationDeps): Authentication {
  const { limits } = deps;
  const callers = new WeakMap<FastifyRequest, Caller>();

  const findByKey = async (request: FastifyRequest): Promise<KeyCaller | null> => {
    const [, secret] = bearerForm.exec(request.headers.authorization ?? '') ?? [];
    return secret === undefined ? null : deps.identifyKey(secret);
  };
  const findBySession = async (request: FastifyRequest): Promise<PersonCaller | null> => {
    const token = sessionTokenOf(request);
    const signedIn = token === undefined ? null : await deps.identifySession(token);
    if (signedIn === null) return null;
    refuseForeignOrigin(request, deps.ownOrigin);
    refuseOtherAccount(request, signedIn.partnerId);
    const { sessionId: callerId, email: by, partnerId, role } = signedIn;
    const named = environmentOf(request, accessOf(request), signedIn.hasLive);
    const environment = named instanceof ApiError ? 'sandbox' : named;
    const limitId = limitIdOf(by);
    const caller: PersonCaller = { via: 'dashboard', callerId, limitId, by, partnerId, role, environment };
    if (named instanceof ApiError) {
      // Whoever may not ask at all is told that first. Both are written down.
      callers.set(request, caller);
      refuseByAccess(accessOf(request), caller);
      throw named;
    }
    return caller;
  };
  const identify = async (request: FastifyRequest, reply: HeaderWriter): Promise<Caller | null> => {
    if (request.headers.authorization !== undefined) return findByKey(request);
    // Whoever sits at the same browser next, or behind the same proxy, is not shown what this person saw.
    reply.header('cache-control', 'no-store');
    return findBySession(request);
  };

  return {
    async requireCaller(request, reply) {
      const caller = await identify(request, reply);
      if (caller !== null) {
        callers.set(request, caller);
        refuseByAccess(accessOf(request), caller);
      }
      const taken = caller === null ? limits.open.take(networkOf(request.ip)) : limits.requests.take(caller.limitId);
      // Awaited only where there is something to wait for: this is on the way of every request.
      const apiError = settleLimit(reply, taken instanceof Promise ? await taken : taken);
      if (apiError !== undefined) throw apiError;
      if (caller === null) throw new ApiError(sessionTokenOf(request) === undefined ? unauthorized : sessionEnded);
    },
    callerOf(request) {
      const caller = callers.get(request);
      if (caller === undefined) throw new Error('this route does not ask who is calling');
      return caller;
    },
    findCaller: (request) => callers.get(request),
  };
}
