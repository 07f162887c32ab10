import type { Server } from 'node:http';
import type { Logger } from '../../platform/logging.ts';
import type { Meter } from '../../platform/metrics.ts';
import { countRefusals } from './count-refusals.ts';

interface CapDeps {
  meter: Meter;
  logger: Pick<Logger, 'warn'>;
  most: number;
}

/** A connection beyond the most is closed before anything on it is read. */
export function capConnections(server: Server, { meter, logger, most }: CapDeps): void {
  const refused = meter.createCounter('kelpie_connections_refused_total', {
    description: 'Connections closed at once because KELPIE_MAX_CONNECTIONS were open',
  });
  refused.add(0);
  const report = countRefusals(logger, 'connection');
  server.maxConnections = most;
  server.on('drop', () => {
    refused.add(1);
    report();
  });
}
