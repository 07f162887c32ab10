// Traces of requests and of what happens to payouts, sent to a collector by OTLP. Nothing waits for the collector.
import { ROOT_CONTEXT, trace, TraceFlags } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { AlwaysOnSampler, TracerProvider } from '@opentelemetry/sdk-trace';
import type { Logger } from '../logging.ts';
import { takeRandomBytes } from '../random-bytes.ts';
import { OpenSpan, spanOptions, throughSpan } from '../spans.ts';
import { createSpanExport } from './span-export.ts';
import { createSampling, rootSpanIdOf, traceIdOf } from './trace-ids.ts';
import type { Tracer } from './tracer.ts';

interface TracingOptions {
  url: string;
  ratio: number;
  process: string;
  logger: Logger;
}

/** Of one batch, with all its retries. */
const sendWithinMs = 5_000;

/** Makes ids at random, except for the first span of a trace. */
function createIdGenerator() {
  let first: string | null = null;
  return {
    generateTraceId(): string {
      if (first === null) throw new Error('a span is of the trace of an id');
      return traceIdOf(first);
    },
    generateSpanId: (): string =>
      first === null ? Buffer.from(takeRandomBytes(8)).toString('hex') : rootSpanIdOf(first),
    /** Whatever is begun meanwhile is the first of that id's trace. */
    beginning<Result>(id: string, begin: () => Result): Result {
      first = id;
      try {
        return begin();
      } finally {
        first = null;
      }
    },
  };
}

export function startTracing({ url, ratio, process, logger }: TracingOptions): Tracer {
  const isSampled = createSampling(ratio);
  const idGenerator = createIdGenerator();
  const spanExport = createSpanExport(new OTLPTraceExporter({ url, timeoutMillis: sendWithinMs }), logger);
  const provider = new TracerProvider({
    idGenerator,
    sampler: new AlwaysOnSampler(),
    resource: resourceFromAttributes({ 'service.name': `kelpie-${process}` }),
    spanProcessors: [spanExport.processor],
  });
  const tracer = provider.getTracer('kelpie');
  return {
    begin(id, start) {
      if (!isSampled(id)) return null;
      const span = idGenerator.beginning(id, () => tracer.startSpan(start.name, spanOptions(start), ROOT_CONTEXT));
      return new OpenSpan(tracer, span);
    },
    async follow(id, start, work) {
      if (!isSampled(id)) return work();
      const root = { traceId: traceIdOf(id), spanId: rootSpanIdOf(id), traceFlags: TraceFlags.SAMPLED, isRemote: true };
      const parent = trace.setSpanContext(ROOT_CONTEXT, root);
      return throughSpan(new OpenSpan(tracer, tracer.startSpan(start.name, spanOptions(start), parent)), work);
    },
    stop: async () => spanExport.stop(),
  };
}
