import type { FastifyInstance } from 'fastify';
import { withoutSpan, type OpenSpan } from '../platform/spans.ts';
import type { Tracer } from '../platform/tracing/tracer.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null where the request is not sampled. */
    span: OpenSpan | null;
  }
}

/** Pages and probes ask nothing of the database, and come by the second. */
function isTraced(route: string): boolean {
  return route.startsWith('/v1') || route.startsWith('/bank-webhooks');
}

/** A trace for each request of the API and of the banks, under the request's own id. Ids that callers bring are not read. */
export function traceRequests(app: FastifyInstance, tracer: Tracer): void {
  app.decorateRequest('span', null);
  app.addHook('onRequest', (request, _reply, done) => {
    const { method, routeOptions } = request;
    const { url: route } = routeOptions;
    if (route === undefined || !isTraced(route)) return done();
    const attributes = { 'http.request.method': method, 'http.route': route };
    request.span = tracer.begin(request.id, { name: `${method} ${route}`, kind: 'server', attributes });
    if (request.span === null) done();
    else request.span.run(done);
  });
  // A body that was read leaves us in the socket's own context.
  app.addHook('preValidation', (request, _reply, done) => {
    if (request.span === null) done();
    else request.span.run(done);
  });
  app.addHook('onResponse', (request, { statusCode }, done) => {
    const failed = statusCode >= 500 ? { 'error.type': String(statusCode) } : {};
    request.span?.end({ 'http.response.status_code': statusCode, ...failed });
    // What is noted of the request goes on after it.
    withoutSpan(done);
  });
}
