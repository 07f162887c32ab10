import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Meter } from './metrics.ts';
import { build } from './version.ts';

/** As long as between two scrapes: each of several readers sees what is in a window. */
const windowMs = 15_000;

/** The worst of the last window and this one. A reader changes nothing for another. */
function observeLoopDelay(meter: Meter): void {
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  let lastWindow = 0;
  setInterval(() => {
    lastWindow = delay.percentile(99);
    delay.reset();
  }, windowMs).unref();
  meter
    .createObservableGauge('nodejs_eventloop_delay_p99_seconds', { description: 'Of the last 15 to 30 seconds' })
    .addCallback((gauge) => gauge.observe(Math.max(lastWindow, delay.percentile(99)) / 1e9));
}

interface ProcessDeps {
  process: string;
  /** Whether writes are confirmed now. */
  takesWrites: () => boolean;
}

/** What every process says of itself. */
export function observeProcess(meter: Meter, { process: name, takesWrites }: ProcessDeps): void {
  observeLoopDelay(meter);
  meter
    .createObservableGauge('process_memory_usage_bytes', { description: 'Memory that the process holds' })
    .addCallback((gauge) => gauge.observe(process.memoryUsage.rss()));
  meter
    .createObservableGauge('kelpie_build_info', { description: 'Always 1: its labels say which code runs' })
    .addCallback((gauge) => gauge.observe(1, { ...build, process: name }));
  meter
    .createObservableGauge('kelpie_writes_open', {
      description: '1 while writes are confirmed, 0 while they are refused',
    })
    .addCallback((gauge) => gauge.observe(takesWrites() ? 1 : 0));
}
