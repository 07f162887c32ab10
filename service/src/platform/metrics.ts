import { createServer, type Server } from 'node:http';
import type { Meter } from '@opentelemetry/api';
import { PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { AggregationTemporality, InstrumentType, MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics';

export type { Meter };

/** What a page of the metrics port answers. */
export interface Page {
  status: number;
  body: object;
}

export interface Metrics {
  meter: Meter;
  /** One more page on the port of the figures. */
  addPage(path: string, read: () => Page): void;
  /** Serves the figures on a port of their own, so that they are never reachable where partners are. */
  listen(address: { host: string; port: number }): Promise<{ port: number }>;
  close(): Promise<void>;
}

/** For a histogram of how long something takes that a caller waits for. */
export const durationBuckets = {
  explicitBucketBoundaries: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
};

/** A gauge that is not observed now is left out. The exporter's own reader would publish its last value for ever. */
class Scraper extends MetricReader {
  constructor() {
    super({
      aggregationTemporalitySelector: (type) =>
        type === InstrumentType.OBSERVABLE_GAUGE ? AggregationTemporality.DELTA : AggregationTemporality.CUMULATIVE,
    });
  }

  protected override async onShutdown(): Promise<void> {
    // Nothing is left to be sent: it is read.
  }

  protected override async onForceFlush(): Promise<void> {
    // The same.
  }
}

/** Names as they are, without times, and without labels that are the same on every line. */
function createSerializer(): PrometheusSerializer {
  const [prefix, hasTimes, ownLabels] = ['', false, undefined];
  const [withoutTargetInfo, withoutScopeInfo] = [true, true];
  return new PrometheusSerializer(prefix, hasTimes, ownLabels, withoutTargetInfo, withoutScopeInfo);
}

export function createMetrics(): Metrics {
  const scraper = new Scraper();
  const provider = new MeterProvider({ readers: [scraper] });
  const serializer = createSerializer();
  const collect = async (): Promise<string> => serializer.serialize((await scraper.collect()).resourceMetrics);
  // What one collection observes is not there for another beside it.
  let underWay: Promise<string> | null = null;
  const collectOnce = async (): Promise<string> => {
    underWay ??= collect().finally(() => (underWay = null));
    return underWay;
  };
  const pages = new Map<string, () => Page>();
  const server: Server = createServer((request, response) => {
    const page = pages.get(request.url ?? '');
    if (page !== undefined) {
      const { status, body } = page();
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    } else if (request.url === '/metrics')
      collectOnce().then(
        (text) => response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end(text),
        () => response.writeHead(500).end(),
      );
    else response.writeHead(404).end();
  });
  return {
    meter: provider.getMeter('kelpie'),
    addPage: (path, read) => void pages.set(path, read),
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
