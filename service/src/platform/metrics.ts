import { createServer, type Server } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { AggregationType, MeterProvider } from '@opentelemetry/sdk-metrics';
import type { Meter } from '@opentelemetry/api';

export type { Meter };

export interface Metrics {
  meter: Meter;
  /** Serves the figures on a port of their own, so that they are never reachable where partners are. */
  listen(address: { host: string; port: number }): Promise<{ port: number }>;
  close(): Promise<void>;
}

const durationBoundariesSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

function observeProcess(meter: Meter): void {
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  meter
    .createObservableGauge('kelpie_event_loop_delay_p99_seconds', { description: 'Since the figure was last read' })
    .addCallback((gauge) => {
      gauge.observe(delay.percentile(99) / 1e9);
      delay.reset();
    });
  meter
    .createObservableGauge('kelpie_memory_resident_bytes', { description: 'Memory that the process holds' })
    .addCallback((gauge) => gauge.observe(process.memoryUsage.rss()));
}

export function createMetrics(): Metrics {
  const exporter = new PrometheusExporter({
    preventServerStart: true,
    withoutTargetInfo: true,
    withoutScopeInfo: true,
  });
  const provider = new MeterProvider({
    readers: [exporter],
    views: [
      {
        instrumentName: '*_duration_seconds',
        aggregation: {
          type: AggregationType.EXPLICIT_BUCKET_HISTOGRAM,
          options: { boundaries: durationBoundariesSeconds },
        },
      },
    ],
  });
  const meter = provider.getMeter('kelpie');
  observeProcess(meter);
  const server: Server = createServer((request, response) => {
    if (request.url === '/metrics') exporter.getMetricsRequestHandler(request, response);
    else response.writeHead(404).end();
  });
  return {
    meter,
    async listen({ host, port }) {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, resolve);
      });
      const bound = server.address();
      return { port: typeof bound === 'object' && bound !== null ? bound.port : port };
    },
    async close() {
      server.closeAllConnections();
      if (server.listening) await new Promise((resolve) => server.close(resolve));
      await provider.shutdown();
    },
  };
}
