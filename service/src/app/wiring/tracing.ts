import { settings, type Setting } from '../../platform/configuration/settings.ts';
import type { Logger } from '../../platform/logging.ts';
import { noTracer, type Tracer } from '../../platform/tracing/tracer.ts';

export function chooseTracing(get: <Value>(setting: Setting<Value>) => Value) {
  return { url: get(settings.otlpUrl), ratio: get(settings.traceRatio) };
}

interface TracerOptions extends ReturnType<typeof chooseTracing> {
  process: string;
  logger: Logger;
}

/** What sends traces is loaded only where they are sent. */
export async function openTracer({ url, ...options }: TracerOptions): Promise<Tracer> {
  if (url === null) return noTracer;
  const { startTracing } = await import('../../platform/tracing/start-tracing.ts');
  return startTracing({ url, ...options });
}
