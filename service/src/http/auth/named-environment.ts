import type { FastifyRequest } from 'fastify';
import { ApiError } from '../../platform/api-error.ts';
import type { Access } from './access.ts';

const rule = 'must be sandbox or live';

function notNamed(): ApiError {
  return new ApiError({
    code: 'invalid_request',
    message: 'The environment query parameter must be sandbox or live.',
    details: { fields: [{ path: 'environment', rule }] },
  });
}

const notVerified = {
  code: 'verification_required',
  message: 'The live environment is available once your business is verified. Start verification under Compliance.',
} as const;

type Environment = 'sandbox' | 'live';

interface NamedEnvironment {
  /** The one to work in: sandbox where the route belongs to none. */
  environment: Environment;
  /** The one that was asked for; null where the route belongs to none, or none was named. */
  asked: Environment | null;
  error?: ApiError;
}

function namedIn({ query }: FastifyRequest): unknown {
  return typeof query === 'object' && query !== null ? Reflect.get(query, 'environment') : undefined;
}

export function namesLive(request: FastifyRequest): boolean {
  return namedIn(request) === 'live';
}

/** A quote is a POST, and a read nonetheless. */
function isRead({ method }: FastifyRequest, access: Access): boolean {
  return access === 'readers' || method === 'GET' || method === 'HEAD';
}

/** Which environment a person asks for. Reads default to sandbox; writes must name it. */
export function environmentOf(request: FastifyRequest, access: Access, hasLive: boolean): NamedEnvironment {
  const named = namedIn(request);
  const isOfBoth = request.routeOptions.config.ofBothEnvironments === true;
  const asked = named === undefined && (isOfBoth || isRead(request, access)) ? 'sandbox' : named;
  if (asked !== 'sandbox' && asked !== 'live') return { environment: 'sandbox', asked: null, error: notNamed() };
  if (isOfBoth) return { environment: 'sandbox', asked: null };
  if (asked === 'sandbox' || hasLive) return { environment: asked, asked };
  return { environment: 'sandbox', asked, error: new ApiError(notVerified) };
}
