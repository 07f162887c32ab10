import type { FastifyInstance } from 'fastify';
import { ApiError } from '../../platform/api-error.ts';

/** Who may ask for what a route does. */
export type Access =
  /** Anybody, without being known. */
  | 'anybody'
  /** Whoever is known: a key, an admin, a viewer. */
  | 'readers'
  /** Whoever may move money: a key of scope `pay`, an admin. */
  | 'payers'
  /** People who have signed in, whatever their role. */
  | 'people'
  | 'admins';

/** A route's own rule, as it stands in its configuration. */
export interface AccessRule {
  access: Access;
  /** Whether what is asked for is of no environment, but of the partner. */
  ofBothEnvironments?: boolean;
}

declare module 'fastify' {
  interface FastifyContextConfig extends Partial<AccessRule> {}
}

const onlyRead = {
  code: 'api_key_required',
  message: 'Viewers and read-only API keys cannot change this account. Ask an admin.',
} as const;
const onlyPeople = {
  code: 'session_required',
  message: 'API keys cannot do this. Sign in to the dashboard.',
} as const;

/** As much of a caller as says what it may do. */
type KnownAs = { via: 'api'; scope: 'pay' | 'read' } | { via: 'dashboard'; role: 'admin' | 'viewer' };

/** Why a known caller may not use a route, or undefined where it may. */
export function accessError(access: Access, caller: KnownAs): ApiError | undefined {
  if (access === 'anybody' || access === 'readers') return undefined;
  if (caller.via === 'api') {
    if (access !== 'payers') return new ApiError(onlyPeople);
    return caller.scope === 'pay' ? undefined : new ApiError(onlyRead);
  }
  return caller.role === 'viewer' && access !== 'people' ? new ApiError(onlyRead) : undefined;
}

/** A route of the API that does not say who may ask for it does not start. */
export function requireAccessOnRoutes(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    const isOurs = route.url === '/' || route.url.startsWith('/v1');
    // Also one that the description does not show: nothing else would miss its rule.
    if (!isOurs || route.config?.access !== undefined) return;
    throw new Error(`${String(route.method)} ${route.url} has to say who may ask for it`);
  });
}
