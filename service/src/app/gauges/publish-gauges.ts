import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logging.ts';
import type { Meter } from '../../platform/metrics.ts';
import { heartbeatGauge, sharedGauges, type Figure } from './figures.ts';

type Descriptions = Readonly<Record<string, string>>;

/** Gauges that are observed from a list. Those that are not in it are left out. */
function publish(meter: Meter, gauges: Descriptions, list: () => readonly Figure[] | Promise<readonly Figure[]>): void {
  const published = new Map(
    Object.entries(gauges).map(([name, description]) => [name, meter.createObservableGauge(name, { description })]),
  );
  meter.addBatchObservableCallback(
    async (observe) => {
      for (const { gauge, value, labels } of await list()) {
        const instrument = published.get(gauge);
        if (instrument !== undefined) observe.observe(instrument, value, labels);
      }
    },
    [...published.values()],
  );
}

/** Metrics that are read more often have the heartbeat of the last time. */
const keptMs = 1_000;
/** Who reads the metrics gets all others, also while the database does not answer. */
const answersWithinMs = 1_000;

/** The heartbeat, read when the metrics are. Without an answer of the database it is left out. */
export function publishHeartbeat(meter: Meter, logger: Logger, read: () => Promise<Figure[]>): void {
  let kept: { figures: Promise<readonly Figure[]>; at: number } | undefined;
  publish(meter, heartbeatGauge, async () => {
    if (kept === undefined || performance.now() - kept.at > keptMs) {
      const figures = read().catch((error: unknown) => {
        logger.warn({ error }, 'gauges.not_read');
        return [];
      });
      kept = { figures, at: performance.now() };
    }
    return Promise.race([kept.figures, wait(answersWithinMs, [], { ref: false })]);
  });
}

const readEveryMs = 5_000;
/** Older than this, none is better. */
const goodForMs = 30_000;

interface SharedGaugeDeps {
  meter: Meter;
  logger: Logger;
  clock: Clock;
  /** Null where another process publishes them. */
  read: (now: Date) => Promise<Figure[] | null>;
  /** Whether it is still this process that does. */
  isElected: () => boolean;
}

/** Reads the figures again and again, and publishes what was read last. Where it can't read them, it publishes none and says so. */
export function startSharedGauges({ meter, logger, clock, read, isElected }: SharedGaugeDeps): {
  stop(): Promise<void>;
} {
  const stopping = new AbortController();
  let kept: { figures: readonly Figure[]; at: number } | null = null;
  publish(meter, sharedGauges, () =>
    kept !== null && isElected() && performance.now() - kept.at < goodForMs ? kept.figures : [],
  );
  const readOnce = async (): Promise<void> => {
    const [now, at] = [clock.now(), performance.now()];
    const figures = await read(now);
    const readAt: Figure = { gauge: 'kelpie_figures_timestamp_seconds', value: now.getTime() / 1_000, labels: {} };
    kept = figures === null ? null : { figures: [...figures, readAt], at };
  };
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await readOnce().catch((error: unknown) => {
        kept = null;
        logger.warn({ error }, 'gauges.not_read');
      });
      await wait(readEveryMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const done = run();
  return {
    async stop() {
      stopping.abort();
      await done;
    },
  };
}
