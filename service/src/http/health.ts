import type { FastifyBaseLogger } from 'fastify';
import type { Logger } from '../platform/logging.ts';
import { ApiError } from '../platform/api-error.ts';
import { limitProbes } from './limits/probe-limit.ts';
import type { Server } from './server.ts';

interface ReadinessCheck {
  name: string;
  /** Throws, or takes longer than a check may, where this process can't serve. */
  run(): Promise<void>;
}

interface HealthDeps {
  checks: readonly ReadinessCheck[];
  /** What only creating something needs besides. */
  writeChecks: readonly ReadinessCheck[];
  isDraining: () => boolean;
  /** Whether writes are confirmed now. */
  takesWrites: () => boolean;
  logger: Pick<Logger, 'warn'>;
  trustedProxies: readonly string[] | null;
}

const checkTimeoutMs = 2_000;

/** What a check failed of, or undefined. */
async function failureOf(check: ReadinessCheck): Promise<Error | undefined> {
  const timeout = Promise.withResolvers<never>();
  const timer = setTimeout(() => timeout.reject(new Error('timed out')), checkTimeoutMs);
  try {
    await Promise.race([check.run(), timeout.promise]);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error('failed');
  } finally {
    clearTimeout(timer);
  }
}

/**
 * `/healthz`: the process is alive. `/readyz`: it can serve, reads at least, so traffic may be sent to it. `/readyz/writes`: it
 * can also save changes, for a load balancer that has somewhere better to send them.
 */
export function addHealthRoutes(
  app: Server,
  { checks, writeChecks, isDraining, takesWrites, ...deps }: HealthDeps,
): void {
  const requireReady = createReadiness(checks, isDraining);
  const requireWriteChecks = createReadiness(writeChecks, isDraining);
  const onRequest = limitProbes({ ...deps, now: () => performance.now() });
  const hidden = { schema: { hide: true }, onRequest };
  app.get('/healthz', hidden, async () => ({ status: 'alive' }));
  app.get('/readyz', hidden, async (request) => {
    await requireReady(request.log);
    return { status: 'ready', writes: takesWrites() };
  });
  app.get('/readyz/writes', hidden, async (request) => {
    await requireReady(request.log);
    await requireWriteChecks(request.log);
    if (takesWrites()) return { status: 'ready', writes: true };
    const details = { failing: ['writes'] };
    throw new ApiError({ code: 'unavailable', message: 'This process cannot save changes now.', details });
  });
}

async function runChecks(checks: readonly ReadinessCheck[]): Promise<{ name: string; error: Error | undefined }[]> {
  return Promise.all(checks.map(async (check) => ({ name: check.name, error: await failureOf(check) })));
}

function createReadiness(checks: readonly ReadinessCheck[], isDraining: () => boolean) {
  let wasReady = true;
  let running: ReturnType<typeof runChecks> | undefined;
  return async (log: FastifyBaseLogger): Promise<void> => {
    if (isDraining()) throw new ApiError({ code: 'unavailable', message: 'This process is stopping.' });
    // Who asks meanwhile is answered with what it finds: however many ask, the database is asked once at a time.
    running ??= runChecks(checks).finally(() => (running = undefined));
    const results = await running;
    const failing = results.filter(({ error }) => error !== undefined);
    // Said once for each time that it changes: a load balancer asks every second.
    if (wasReady) for (const { name, error } of failing) log.error({ action: name, error }, 'readiness.lost');
    if (!wasReady && failing.length === 0) log.info({}, 'readiness.regained');
    wasReady = failing.length === 0;
    if (wasReady) return;
    const details = { failing: failing.map(({ name }) => name) };
    throw new ApiError({ code: 'unavailable', message: 'This process cannot serve requests now.', details });
  };
}
