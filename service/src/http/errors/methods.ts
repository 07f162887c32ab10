import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods, RouteOptions } from 'fastify';
import { ApiError } from '../../platform/api-error.ts';
import type { Authentication } from '../auth/authentication.ts';

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const satisfies HTTPMethods[];

function refuseMethod(allow: string) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    reply.header('allow', allow);
    throw new ApiError({
      code: 'method_not_allowed',
      message: `${request.method} is not allowed here. Allowed methods: ${allow}.`,
    });
  };
}

/**
 * Answers 405 where an address exists but not with this method. Call `finish` when every route has been added: the
 * framework itself would say 404.
 */
export function refuseOtherMethods(app: FastifyInstance): {
  finish: (recogniseKey?: Authentication['recogniseKey']) => void;
} {
  const taken = new Map<string, Set<string>>();
  let encrypted = false;
  app.addHook('onRoute', (route: RouteOptions) => {
    if (encrypted) return;
    const known = taken.get(route.url) ?? new Set();
    taken.set(route.url, known);
    for (const method of [route.method].flat()) known.add(method);
  });
  return {
    finish(recogniseKey) {
      encrypted = true;
      for (const [url, known] of taken) {
        const allow = [...known].toSorted().join(', ');
        app.route({
          url,
          method: methods.filter((method) => !known.has(method)),
          schema: { hide: true },
          config: { access: 'anybody' },
          // Before the body is read: what is wrong with it does not matter here.
          onRequest: [...(recogniseKey === undefined ? [] : [recogniseKey]), refuseMethod(allow)],
          handler: () => undefined,
        });
      }
    },
  };
}
