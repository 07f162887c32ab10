// Which process publishes what of the database.
import type { Clock } from '../../platform/clock.ts';
import { createElectedReader } from '../../platform/database/elected-reader.ts';
import { openPool, type Pool } from '../../platform/database/pool.ts';
import { inReadOnlyTransaction } from '../../platform/database/transaction.ts';
import type { Logger } from '../../platform/logging.ts';
import type { Meter } from '../../platform/metrics.ts';
import { listHeartbeat, type Figure } from '../gauges/figures.ts';
import { publishHeartbeat, startSharedGauges } from '../gauges/publish-gauges.ts';
import { listScheduleFigures } from '../gauges/schedule-figures.ts';
import { listFigures, listMailFigures, listRunways } from '../gauges/shared-figures.ts';

interface GaugeDeps {
  meter: Meter;
  logger: Logger;
  pool: Pool;
}

/** Every process says when a worker last lived: one that died says nothing. */
export function publishLastHeartbeat({ meter, logger, pool }: GaugeDeps): void {
  publishHeartbeat(meter, logger, async () => inReadOnlyTransaction(pool, 'shared', listHeartbeat));
}

interface WorkerGaugeDeps extends GaugeDeps {
  clock: Clock;
  measurePool: (name: string, pool: Pool) => void;
  /** Null in development without a reader: then no worker publishes them. */
  readerUrl: string | null;
}

const applicationName = 'kelpie-worker-figures';
const runwayEveryMs = 60_000;

/** What all processes share is published by one worker of all, so that a sum over them is right. */
export function startWorkerGauges(deps: WorkerGaugeDeps): { stop(): Promise<void> } {
  const { clock, logger, meter, pool, measurePool, readerUrl } = deps;
  publishLastHeartbeat(deps);
  if (readerUrl === null) return { stop: async () => undefined };
  const ownPool = openPool({ url: readerUrl, connections: 1, applicationName, logger });
  measurePool(applicationName, ownPool);
  const reader = createElectedReader(ownPool, 'kelpie: figures');
  let runways: { figures: Figure[]; at: number } | null = null;
  const read = async (now: Date): Promise<Figure[] | null> => {
    const figures = await reader.read(async (tx) => {
      const often = [...(await listFigures(tx, now)), ...(await listScheduleFigures(tx))];
      if (runways === null || performance.now() - runways.at > runwayEveryMs)
        runways = { figures: await listRunways(tx, now), at: performance.now() };
      return [...often, ...runways.figures];
    });
    if (figures === null) return null;
    const mails = await inReadOnlyTransaction(pool, 'shared', async (tx) => listMailFigures(tx, now));
    return [...figures, ...mails];
  };
  const gauges = startSharedGauges({ meter, logger, clock, read, isElected: reader.isElected });
  return {
    async stop() {
      await gauges.stop();
      await reader.stop();
    },
  };
}
