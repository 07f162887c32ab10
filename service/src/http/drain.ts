import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Connections } from './limits/connections.ts';

export interface Drain {
  isDraining: () => boolean;
  /**
   * Says "not ready" and asks every client to open a new connection, but goes on serving until the load balancer has
   * noticed; then takes no new connection and lets the requests in hand finish.
   */
  drain(): Promise<void>;
}

export function createDrain(app: FastifyInstance, connections: Connections, delayMs: number): Drain {
  let draining = false;
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (draining) reply.header('connection', 'close');
    done();
  });
  return {
    isDraining: () => draining,
    async drain() {
      draining = true;
      await wait(delayMs);
      const closed = app.close();
      // A connection on which nothing is asked would keep the process until its deadline.
      connections.endIdle();
      await closed;
    },
  };
}
