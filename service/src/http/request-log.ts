import type { FastifyInstance } from 'fastify';
import type { Meter } from '../platform/metrics.ts';

/** One log line and one figure a request, by the route's pattern: an address could hold what no log may hold. */
export function recordRequests(app: FastifyInstance, meter: Meter): void {
  const duration = meter.createHistogram('kelpie_http_request_duration_seconds', {
    description: 'From the first byte of the request to the last of the answer',
  });
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'none';
    const { method } = request;
    const status = reply.statusCode;
    duration.record(reply.elapsedTime / 1000, { method, route, status });
    request.log.info({ method, route, status, duration_ms: Math.round(reply.elapsedTime) }, 'request.done');
    done();
  });
}
