import type { FastifyInstance, FastifyRequest } from 'fastify';
import { durationBuckets, type Meter } from '../platform/metrics.ts';
import { sharedNetworkOf } from './limits/caller-network.ts';

declare module 'fastify' {
  interface FastifyReply {
    /** The caller asked its sandbox for this answer: no figure of how requests fare counts it. */
    isStaged: boolean;
    /** Refused as one of many: it is counted, and the line of all of them says how many. */
    isQuiet: boolean;
  }
}

/**
 * One log line and one figure a request, by the route's pattern: an address could hold what no log may hold. A caller is
 * named by the id of its key or session, and by its network: enough to follow an incident, and no person's address.
 */
export function recordRequests(
  app: FastifyInstance,
  meter: Meter,
  callerIdOf: (request: FastifyRequest) => string | undefined,
): void {
  const duration = meter.createHistogram('http_server_request_duration_seconds', {
    description: 'From the first byte of the request to the last of the answer, without what it waited for on purpose',
    advice: durationBuckets,
  });
  app.decorateReply('waitedMs', 0);
  app.decorateReply('isStaged', false);
  app.decorateReply('isQuiet', false);
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'none';
    const { method } = request;
    const status = reply.statusCode;
    if (!reply.isStaged)
      duration.record((reply.elapsedTime - reply.waitedMs) / 1000, {
        http_request_method: method,
        http_route: route,
        http_response_status_code: status,
      });
    if (reply.isQuiet) {
      done();
      return;
    }
    const duration_ms = Math.round(reply.elapsedTime);
    const caller = { caller_id: callerIdOf(request), network: sharedNetworkOf(request.ip) };
    request.log.info({ method, route, status, duration_ms, ...caller }, 'request.done');
    done();
  });
}
