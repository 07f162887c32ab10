import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Meter } from '../../platform/metrics.ts';

/** The runtime looks twice: what was taken of a write shows only by comparison. So a reader is ended after 15 to 30 s of nothing. */
const patienceMs = 15_000;

/**
 * Ends the connection of who asks and takes nothing of the answer: each would keep its memory for as long as it likes. Whom we
 * make wait is not meant, nor who takes a little at a time: there is nothing to take, or the timer has begun anew.
 */
export function endStalledReaders(server: Server, meter: Meter): void {
  const ended = meter.createCounter('kelpie_stalled_readers_total', {
    description: 'Connections ended because their reader took nothing of an answer for 15 to 30 s',
  });
  ended.add(0);
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    response.setTimeout(patienceMs, () => {
      if (socket.writableLength === 0) return;
      ended.add(1);
      socket.destroy();
    });
  });
}
