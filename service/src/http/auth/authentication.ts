import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { ApiError, sessionEnded, unauthorized } from '../../platform/api-error.ts';
import { accessError, type Access } from './access.ts';
import type { Caller, KeyCaller, SignedIn } from './caller.ts';
import { networkOf } from '../limits/caller-network.ts';
import { otherAccountError } from './named-account.ts';
import { environmentOf, namesLive } from './named-environment.ts';
import { settleLimit, type HeaderWriter, type RateLimits } from '../limits/rate-limit.ts';
import { foreignOriginError, sessionTokenOf } from './session-cookie.ts';

export interface Authentication {
  /**
   * A hook: whoever brings neither a key nor a session that is good, may not do what the route is for, or asks more often
   * than its limit allows, gets no further, not even to having its body read.
   */
  requireCaller: (request: FastifyRequest, reply: HeaderWriter) => Promise<void>;
  /**
   * A hook for addresses that need no caller. A good key counts against its own limit and its errors are in the activity;
   * everything else counts against its network.
   */
  recogniseKey: (request: FastifyRequest, reply: HeaderWriter) => Promise<void>;
  callerOf: (request: FastifyRequest) => Caller;
  /** The same, or undefined where nobody has been asked, or has shown nothing that is good. */
  findCaller: (request: FastifyRequest) => Caller | undefined;
  /** Whether the caller had used up its rate limit: a 403 takes a token too, and is answered before a 429. */
  isOverLimit: (request: FastifyRequest) => boolean;
}

interface AuthenticationDeps {
  /** Null too where the key does not work from the address. */
  identifyKey: (secret: string, address: string) => Promise<KeyCaller | null>;
  /** `anew` where what is remembered of the session may be too old. */
  identifySession: (token: string, how?: 'anew') => Promise<SignedIn | null>;
  limits: Pick<RateLimits, 'requests' | 'open'>;
  /** The origins of the dashboard: from any other, a browser that is signed in may ask for nothing. */
  ownOrigins: readonly string[];
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

interface Identified {
  caller: Caller;
  /** Why this caller may not go on. It is thrown only after its token is taken. */
  error: ApiError | undefined;
  /** Whether the request may have come from a page other than the person's own: then the activity does not name them. */
  isForeign: boolean;
}

export function createAuthentication(deps: AuthenticationDeps): Authentication {
  const { limits } = deps;
  const callers = new WeakMap<FastifyRequest, Caller>();
  const overLimit = new WeakSet<FastifyRequest>();

  const findByKey = async (request: FastifyRequest): Promise<KeyCaller | null> => {
    const [, secret] = bearerForm.exec(request.headers.authorization ?? '') ?? [];
    return secret === undefined ? null : deps.identifyKey(secret, request.ip);
  };
  const identifyByKey = async (request: FastifyRequest): Promise<Identified | null> => {
    const caller = await findByKey(request);
    return caller === null ? null : { caller, error: accessError(accessOf(request), caller), isForeign: false };
  };
  const findSignedIn = async (request: FastifyRequest): Promise<SignedIn | null> => {
    const token = sessionTokenOf(request);
    if (token === undefined) return null;
    const known = await deps.identifySession(token);
    // A business may have been approved since: GET /v1/auth/session would say so already.
    const isOutdated = known !== null && !known.hasLive && namesLive(request);
    return isOutdated ? deps.identifySession(token, 'anew') : known;
  };
  const identifyBySession = async (request: FastifyRequest): Promise<Identified | null> => {
    const signedIn = await findSignedIn(request);
    if (signedIn === null) return null;
    const { sessionId: callerId, email: by, partnerId, role } = signedIn;
    const access = accessOf(request);
    const { environment, asked, error } = environmentOf(request, access, signedIn.hasLive);
    const person = { via: 'dashboard', callerId, limitId: limitIdOf(by), by, partnerId, role } as const;
    const caller: Caller = { ...person, environment, askedEnvironment: asked };
    const foreign = foreignOriginError(request, deps.ownOrigins) ?? otherAccountError(request, partnerId);
    return { caller, error: foreign ?? accessError(access, caller) ?? error, isForeign: foreign !== undefined };
  };
  const identify = async (request: FastifyRequest): Promise<Identified | null> =>
    request.headers.authorization === undefined ? identifyBySession(request) : identifyByKey(request);
  const takeToken = async (
    request: FastifyRequest,
    reply: HeaderWriter,
    caller: Caller | undefined,
  ): Promise<ApiError | undefined> => {
    const taken = caller === undefined ? limits.open.take(networkOf(request.ip)) : limits.requests.take(caller.limitId);
    const tooMany = settleLimit(reply, await taken);
    if (tooMany !== undefined) overLimit.add(request);
    return tooMany;
  };

  return {
    async requireCaller(request, reply) {
      const found = await identify(request);
      if (found !== null && !found.isForeign) callers.set(request, found.caller);
      const tooMany = await takeToken(request, reply, found?.caller);
      const error = found?.error ?? tooMany;
      if (error !== undefined) throw error;
      if (found === null) throw new ApiError(sessionTokenOf(request) === undefined ? unauthorized : sessionEnded);
    },
    async recogniseKey(request, reply) {
      const caller = await findByKey(request);
      if (caller !== null) callers.set(request, caller);
      const tooMany = await takeToken(request, reply, caller ?? undefined);
      if (tooMany !== undefined) throw tooMany;
    },
    callerOf(request) {
      const caller = callers.get(request);
      if (caller === undefined) throw new Error('this route does not ask who is calling');
      return caller;
    },
    findCaller: (request) => callers.get(request),
    isOverLimit: (request) => overLimit.has(request),
  };
}
