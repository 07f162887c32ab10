import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../platform/clock.ts';
import { createLogger } from '../platform/logging.ts';
import { createMetrics } from '../platform/metrics.ts';
import { addHealthRoutes } from './health.ts';
import { createServer } from './server.ts';

function open(run: () => Promise<void>) {
  const lines: string[] = [];
  const logger = createLogger('test', 'info', { write: (line) => void lines.push(line) });
  const trustedProxies = ['10.0.0.0/8', 'fd00::1'];
  const { app, finish } = createServer({
    clock: systemClock,
    logger,
    meter: createMetrics().meter,
    supportEmail: 'support@kelpie.example',
    retryAfterSeconds: () => 1,
    trustedProxies,
  });
  const ready = {
    checks: [{ name: 'database', run }],
    writeChecks: [],
    isDraining: () => false,
    takesWrites: () => true,
  };
  addHealthRoutes(app, { ...ready, logger, trustedProxies });
  finish();
  const probe = async (remoteAddress: string, forwardedFor?: string): Promise<number> => {
    const headers = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor };
    return (await app.inject({ url: '/readyz', remoteAddress, headers })).statusCode;
  };
  return { lines, probe };
}

async function statusesOf(count: number, once: (nth: number) => Promise<number>): Promise<number[]> {
  const statuses: number[] = [];
  for (let nth = 0; nth < count; nth += 1) statuses.push(await once(nth));
  return statuses;
}

test('the probes of a load balancer are answered, however many strangers ask behind it', async () => {
  let runs = 0;
  const { lines, probe } = open(async () => void (runs += 1));
  const ofOne = await statusesOf(100, async () => probe('10.1.2.3', '198.51.100.7'));
  const ofMany = await statusesOf(600, async (nth) => probe('10.1.2.3', `198.51.${nth >> 8}.${nth & 255}`));
  for (const statuses of [ofOne, ofMany]) assert.deepEqual(new Set(statuses), new Set([200, 429]));
  const answered = [...ofOne, ...ofMany].filter((status) => status === 200);
  assert.equal(runs, answered.length, 'who is turned away costs the database nothing');
  for (const own of ['10.1.2.3', 'fd00::1', '127.0.0.1', '::1', '::ffff:127.0.0.1'])
    assert.deepEqual(await statusesOf(100, async () => probe(own)), Array(100).fill(200), own);
  const refused = lines.filter((line) => line.includes('requests.refused'));
  assert.equal(refused.length, 1);
  assert(!lines.some((line) => line.includes('"status":429')), 'each that was turned away has a line');
});

test('probes at the same time ask the database once', async () => {
  let runs = 0;
  const done = Promise.withResolvers<void>();
  const { probe } = open(async () => {
    runs += 1;
    await done.promise;
  });
  const first = Array.from({ length: 20 }, async () => probe('127.0.0.1'));
  await new Promise(setImmediate);
  done.resolve();
  assert.deepEqual(await Promise.all(first), Array(20).fill(200));
  assert.equal(runs, 1);
  await probe('127.0.0.1');
  assert.equal(runs, 2);
});
