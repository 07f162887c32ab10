import type { FastifyInstance, HTTPMethods, RouteOptions } from 'fastify';
import { Refusal } from '../platform/refusal.ts';

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const satisfies HTTPMethods[];

/**
 * Answers 405 where an address exists but not with this method. Call `seal` when every route has been added: the
 * framework itself would say 404.
 */
export function refuseOtherMethods(app: FastifyInstance): { seal: () => void } {
  const taken = new Map<string, Set<string>>();
  let sealed = false;
  app.addHook('onRoute', (route: RouteOptions) => {
    if (sealed) return;
    const known = taken.get(route.url) ?? new Set();
    taken.set(route.url, known);
    for (const method of [route.method].flat()) known.add(method);
  });
  return {
    seal() {
      sealed = true;
      for (const [url, known] of taken) {
        const allow = [...known].toSorted().join(', ');
        app.route({
          url,
          method: methods.filter((method) => !known.has(method)),
          schema: { hide: true },
          // Before the body is read: what is wrong with it does not matter here.
          async onRequest(request, reply) {
            reply.header('allow', allow);
            throw new Refusal({
              code: 'method_not_allowed',
              message: `${request.method} does not work here. This address takes ${allow}.`,
            });
          },
          handler: () => undefined,
        });
      }
    },
  };
}
