import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { createPoolMetrics } from '../../src/platform/database/pool-metrics.ts';
import { openPool } from '../../src/platform/database/pool.ts';
import { createLogger } from '../../src/platform/logging.ts';
import { createMetrics } from '../../src/platform/metrics.ts';
import { createTestDatabase } from '../harness/database.ts';
import { readMetric } from '../harness/metrics.ts';

const database = await createTestDatabase();
const metrics = createMetrics();
const { port } = await metrics.listen({ host: '127.0.0.1', port: 0 });
const logger = createLogger('test', 'silent');
const pool = openPool({ url: database.serviceUrl, connections: 1, applicationName: 'test', logger });
createPoolMetrics(metrics.meter)('test', pool);
after(async () => {
  await pool.end();
  await metrics.close();
});

async function read(name: string, labels: Readonly<Record<string, string>> = {}): Promise<number | undefined> {
  return readMetric(`http://127.0.0.1:${port}`, name, { pool: 'test', ...labels });
}

test('who waits for a connection is counted, and how long it took is measured', async () => {
  const client = await pool.connect();
  assert.equal(await read('db_client_connection_count', { state: 'used' }), 1);
  assert.equal(await read('db_client_connection_count', { state: 'idle' }), 0);
  const waiting = pool.query('select 1');
  assert.equal(await read('db_client_connection_pending_requests'), 1);
  const heldUntil = performance.now() + 300;
  await eventually('it has waited', async () => performance.now() > heldUntil);
  client.release();
  await waiting;
  assert.equal(await read('db_client_connection_pending_requests'), 0);
  assert.equal(await read('db_client_connection_count', { state: 'idle' }), 1);
  assert.equal(await read('db_client_connection_wait_time_seconds_count'), 2);
  const waited = await read('db_client_connection_wait_time_seconds_sum');
  assert(waited !== undefined && waited > 0.25, String(waited));
});

test('a connection that could not be had in time is measured too, and the caller learns of it as before', async () => {
  const client = await pool.connect();
  await assert.rejects(async () => pool.connect(), /timeout exceeded/);
  await assert.rejects(async () => pool.query('select 1'), /timeout exceeded/);
  client.release();
  assert.equal(await read('db_client_connection_wait_time_seconds_count'), 5);
});
