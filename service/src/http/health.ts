import type { FastifyInstance } from 'fastify';
import { ApiError } from '../platform/api-error.ts';

export interface ReadinessCheck {
  name: string;
  /** Throws, or takes longer than a check may, where this process can't serve. */
  run(): Promise<void>;
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

/** `/healthz`: the process is alive. `/readyz`: it can serve, so traffic may be sent to it. */
export function addHealthRoutes(
  app: FastifyInstance,
  checks: readonly ReadinessCheck[],
  isDraining: () => boolean,
): void {
  let wasReady = true;
  app.get('/healthz', { schema: { hide: true } }, async () => ({ status: 'alive' }));
  app.get('/readyz', { schema: { hide: true } }, async (request) => {
    if (isDraining()) throw new ApiError({ code: 'unavailable', message: 'This process is stopping.' });
    const results = await Promise.all(
      checks.map(async (check) => ({ name: check.name, error: await failureOf(check) })),
    );
    const failing = results.filter(({ error }) => error !== undefined);
    // Said once for each time that it changes: a load balancer asks every second.
    if (wasReady) for (const { name, error } of failing) request.log.error({ action: name, error }, 'readiness.lost');
    wasReady = failing.length === 0;
    if (wasReady) return { status: 'ready' };
    const details = { failing: failing.map(({ name }) => name) };
    throw new ApiError({ code: 'unavailable', message: 'This process cannot serve requests now.', details });
  });
}
