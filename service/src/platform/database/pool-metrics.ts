import type { PoolClient } from 'pg';
import { durationBuckets, type Meter } from '../metrics.ts';
import type { Pool } from './pool.ts';

type OnClient = (error: Error | undefined, client: PoolClient | undefined, release: (error?: unknown) => void) => void;

/** Measures pools, each under its name. Their calls go on as before. */
export function createPoolMetrics(meter: Meter): (name: string, pool: Pool) => void {
  const pools = new Map<string, Pool>();
  const waits = meter.createHistogram('db_client_connection_wait_time_seconds', {
    description: 'How long a connection of the pool was waited for',
    advice: durationBuckets,
  });
  meter
    .createObservableGauge('db_client_connection_count', { description: 'Connections of the pool, by state' })
    .addCallback((gauge) => {
      for (const [pool, { totalCount, idleCount }] of pools) {
        gauge.observe(totalCount - idleCount, { pool, state: 'used' });
        gauge.observe(idleCount, { pool, state: 'idle' });
      }
    });
  meter
    .createObservableGauge('db_client_connection_pending_requests', { description: 'Who waits for a connection' })
    .addCallback((gauge) => {
      for (const [pool, { waitingCount }] of pools) gauge.observe(waitingCount, { pool });
    });
  return (name, pool) => {
    pools.set(name, pool);
    const labels = { pool: name };
    const connect = pool.connect.bind(pool);
    function measured(): Promise<PoolClient>;
    function measured(onClient: OnClient): void;
    // The pool's own `query` uses the second form.
    function measured(onClient?: OnClient): Promise<PoolClient> | undefined {
      const startedAt = performance.now();
      const waited = (): void => waits.record((performance.now() - startedAt) / 1000, labels);
      if (onClient === undefined) return connect().finally(waited);
      connect((error, client, release) => {
        waited();
        onClient(error, client, release);
      });
      return undefined;
    }
    pool.connect = measured;
  };
}
