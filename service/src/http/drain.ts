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

interface DrainOptions {
  delayMs: number;
  /** Ends what callers wait for: they are answered while the process still serves. */
  endWaits: () => void;
}

export function createDrain(
  app: FastifyInstance,
  connections: Connections,
  { delayMs, endWaits }: DrainOptions,
): Drain {
  let draining = false;
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (draining) reply.header('connection', 'close');
    done();
  });
  return {
    isDraining: () => draining,
    async drain() {
      draining = true;
      endWaits();
      await wait(delayMs);
      const closed = app.close();
      // A connection on which nothing is asked would keep the process until its deadline.
      connections.endIdle();
      await closed;
    },
  };
}
