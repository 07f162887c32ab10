import type { FastifyInstance } from 'fastify';
import { Refusal } from '../platform/refusal.ts';

export interface ReadinessCheck {
  name: string;
  /** Throws, or takes longer than a check may, where this process can't serve. */
  run(): Promise<void>;
}

const checkTimeoutMs = 2_000;

async function failsInTime(check: ReadinessCheck): Promise<boolean> {
  const timeout = Promise.withResolvers<never>();
  const timer = setTimeout(() => timeout.reject(new Error('timed out')), checkTimeoutMs);
  try {
    await Promise.race([check.run(), timeout.promise]);
    return false;
  } catch {
    return true;
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
  app.get('/healthz', { schema: { hide: true } }, async () => ({ status: 'alive' }));
  app.get('/readyz', { schema: { hide: true } }, async () => {
    if (isDraining()) throw new Refusal({ code: 'unavailable', message: 'This process is about to stop.' });
    const results = await Promise.all(checks.map(async (check) => ({ check, failed: await failsInTime(check) })));
    const failing = results.filter((result) => result.failed).map((result) => result.check.name);
    if (failing.length > 0) {
      throw new Refusal({ code: 'unavailable', message: 'This process can not serve now.', details: { failing } });
    }
    return { status: 'ready' };
  });
}
