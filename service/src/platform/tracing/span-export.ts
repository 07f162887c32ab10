import { setTimeout as wait } from 'node:timers/promises';
import { BatchSpanProcessor, type SpanExporter, type SpanProcessor } from '@opentelemetry/sdk-trace';
import type { Logger } from '../logging.ts';

/** Spans that wait to be sent, or for the collector's answer. Further ones are dropped: some two megabytes at most. */
export const mostWaiting = 2_048;
const batchSize = 512;
const sendEveryMs = 1_000;
/** Longer than the exporter's own time for all its tries. */
const endWithinMs = 10_000;
const stopWithinMs = 2_000;
const reportEveryMs = 60_000;

/** The two codes of a result. */
const succeeded = 0;
const failed = 1;

interface SpanExport {
  processor: SpanProcessor;
  /** Sends what waits, unless that takes too long. */
  stop(): Promise<void>;
}

/** Counts spans that are lost. A collector that is away is logged once a minute. */
function createLosses(logger: Logger) {
  let lost = 0;
  let reportedAt = -Infinity;
  return (spans: number, error?: unknown): void => {
    lost += spans;
    if (performance.now() - reportedAt < reportEveryMs) return;
    reportedAt = performance.now();
    logger.warn({ spans: lost, error }, 'traces.not_sent');
    lost = 0;
  };
}

/** Ends every batch in time, also where the collector never ends its answer. */
function countWaiting(exporter: SpanExporter, ended: (spans: number, failure: { error?: unknown } | null) => void) {
  const counting: SpanExporter = {
    export(spans, done) {
      const end: typeof done = (result) => {
        if (isEnded) return;
        isEnded = true;
        clearTimeout(timer);
        const code: number = result.code;
        ended(spans.length, code === succeeded ? null : result);
        done(result);
      };
      let isEnded = false;
      const timer = setTimeout(end, endWithinMs, { code: failed }).unref();
      exporter.export(spans, end);
    },
    shutdown: async () => exporter.shutdown(),
  };
  return counting;
}

/** Sends spans in batches, one at a time. It keeps a bounded number of them, and no caller waits. */
export function createSpanExport(exporter: SpanExporter, logger: Logger): SpanExport {
  const countLost = createLosses(logger);
  let waiting = 0;
  const batches = new BatchSpanProcessor({
    exporter: countWaiting(exporter, (spans, failure) => {
      waiting -= spans;
      if (failure !== null) countLost(spans, failure.error);
    }),
    maxQueueSize: mostWaiting,
    maxExportBatchSize: batchSize,
    scheduledDelayMillis: sendEveryMs,
  });
  const processor: SpanProcessor = {
    onStart: () => undefined,
    onEnd(span) {
      if (waiting >= mostWaiting) return countLost(1);
      waiting += 1;
      batches.onEnd(span);
    },
    forceFlush: async () => batches.forceFlush(),
    shutdown: async () => batches.shutdown(),
  };
  const sendRest = async (): Promise<void> => {
    await batches.forceFlush();
    await exporter.forceFlush?.();
  };
  return {
    processor,
    async stop() {
      const stopping = new AbortController();
      const late = wait(stopWithinMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      // What could not be sent was counted.
      await Promise.race([sendRest().catch(() => undefined), late]);
      stopping.abort();
    },
  };
}
