// Which process publishes what of the database.
import type { Clock } from '../../platform/clock.ts';
import type { Pool } from '../../platform/database/pool.ts';
import { inReadOnlyTransaction } from '../../platform/database/transaction.ts';
import type { Logger } from '../../platform/logging.ts';
import type { Meter } from '../../platform/metrics.ts';
import { listFigures, listHeartbeat, type Figure } from '../gauges/figures.ts';
import { publishGauges } from '../gauges/publish-gauges.ts';

interface GaugeDeps {
  meter: Meter;
  logger: Logger;
  pool: Pool;
}

/** An api process tells when a worker last lived: one that died tells nothing. */
export function publishApiGauges({ meter, logger, pool }: GaugeDeps): void {
  publishGauges(meter, logger, async () => inReadOnlyTransaction(pool, 'shared', listHeartbeat));
}

/** Every worker publishes the same: take the largest, not the sum. */
export function publishWorkerGauges({
  meter,
  logger,
  clock,
  pool,
  reader,
}: GaugeDeps & { clock: Clock; reader: Pool | null }): void {
  publishGauges(meter, logger, async (): Promise<Figure[]> => {
    const heartbeat = await inReadOnlyTransaction(pool, 'shared', listHeartbeat);
    if (reader === null) return heartbeat;
    const figures = await inReadOnlyTransaction(reader, 'shared', async (tx) => listFigures(tx, clock.now()));
    return [...heartbeat, ...figures];
  });
}
