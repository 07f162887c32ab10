import type { Logger } from '../../platform/logging.ts';
import type { Meter } from '../../platform/metrics.ts';
import { gauges, type Figure, type GaugeName } from './figures.ts';

/** Metrics that are read more often have the figures of the last time. */
const keptMs = 1_000;

/**
 * Gauges of what is in the database, read when the metrics are. Without an answer of the database they are left
 * out: no figure is better than an old one.
 */
export function publishGauges(meter: Meter, logger: Logger, readFigures: () => Promise<Figure[]>): void {
  const names = Object.keys(gauges).filter((name): name is GaugeName => name in gauges);
  const published = new Map(
    names.map((name) => [name, meter.createObservableGauge(name, { description: gauges[name] })]),
  );
  let kept: { figures: Promise<Figure[]>; at: number } | undefined;
  const read = async (): Promise<Figure[]> => {
    if (kept === undefined || performance.now() - kept.at > keptMs) {
      const figures = readFigures().catch((error: unknown) => {
        logger.warn({ error }, 'gauges.not_read');
        return [];
      });
      kept = { figures, at: performance.now() };
    }
    return kept.figures;
  };
  meter.addBatchObservableCallback(
    async (observe) => {
      for (const { gauge, value, labels } of await read()) {
        const instrument = published.get(gauge);
        if (instrument !== undefined) observe.observe(instrument, value, labels);
      }
    },
    [...published.values()],
  );
}
