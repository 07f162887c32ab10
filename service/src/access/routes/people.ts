import type { FastifyRequest } from 'fastify';
import type { Authentication } from '../../http/auth/authentication.ts';
import type { Caller } from '../../http/auth/caller.ts';
import { originOf } from '../../http/auth/origin.ts';
import type { AdminActor, PersonActor } from '../actor.ts';

/** Who asks, on a route for people. */
export function personOf(request: FastifyRequest, { callerOf }: Pick<Authentication, 'callerOf'>): PersonActor {
  const { partnerId, environment, by, callerId } = callerOf(request);
  return { partnerId, environment, by, requestId: request.id, sessionId: callerId, origin: originOf(request) };
}

/** Who asks, on a route for admins alone. */
export function adminOf(request: FastifyRequest, auth: Pick<Authentication, 'callerOf'>): AdminActor {
  return personOf(request, auth);
}

/** On a route for people, which no key gets to. */
export function roleOf(caller: Caller): 'admin' | 'viewer' {
  if (caller.via === 'api') throw new Error('a key on a route for people');
  return caller.role;
}
