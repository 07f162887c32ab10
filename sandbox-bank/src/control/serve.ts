import type { FastifyInstance } from 'fastify';
import type { BankClock } from '../clock.ts';
import { inTransaction, type Pool } from '../database.ts';
import { readFields } from '../http/fields.ts';
import type { Route } from '../http/route.ts';
import { idReader, sendJson } from '../http/server.ts';

/** Serves what tests and people steer the bank with: no key, no faults, no idempotency. */
export function serveControlRoutes(
  app: FastifyInstance,
  { pool, clock }: { pool: Pool; clock: BankClock },
  routes: readonly Route[],
): void {
  for (const route of routes) {
    app.route({
      method: route.method,
      url: route.url,
      async handler(request, reply) {
        const { status, body } = await inTransaction(pool, async (tx) =>
          route.perform({
            tx,
            at: clock.now(),
            id: idReader(request),
            query: readFields(request.query, 'query'),
            body: readFields(request.body, 'body'),
            idempotencyKey: null,
            takeMoreMicroUsdc: 0n,
          }),
        );
        sendJson(reply, status, JSON.stringify(body));
        return reply;
      },
    });
  }
}
