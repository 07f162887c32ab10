import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { call } from '../harness/client.ts';
import { createTestDatabase } from '../harness/database.ts';
import { readMetric } from '../harness/metrics.ts';
import { createSimulatedPartner } from '../harness/partners.ts';
import { startApi } from '../harness/processes.ts';
import { residentMb } from '../harness/resident-memory.ts';
import { largestFile, stallReading } from '../harness/stalled-reader.ts';

const readers = 300;
/** One copy of the file for each reader would be 1,300 MB. */
const mostGrowthMb = 150;
const endedWithinMs = 90_000;

const database = await createTestDatabase();
const partner = await createSimulatedPartner(database);
const api = await startApi({ database });

async function countEnded(): Promise<number> {
  return (await readMetric(api.metricsUrl.replace('/metrics', ''), 'kelpie_stalled_readers_total')) ?? 0;
}

/** Takes 64 KB of the file every half second: slow, and never silent for long. */
async function readSlowly(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const socket = connect({ port: Number(new URL(api.url).port), host: '127.0.0.1' });
  let bytes = 0;
  const next = (): void => void socket.resume();
  socket.on('data', (chunk) => {
    bytes += chunk.length;
    socket.pause();
    setTimeout(next, 500);
  });
  socket.on('error', () => undefined);
  socket.on('close', () => resolve(bytes));
  socket.write(`GET ${largestFile} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
  return promise;
}

test('faults 89: 300 readers that stall take little memory, keep nobody waiting and are cut off; a slow one is not', async (t) => {
  const whole = await (
    await fetch(api.url + largestFile, { headers: { 'accept-encoding': 'identity' } })
  ).arrayBuffer();
  const before = residentMb(api.pid);
  const slow = readSlowly();
  const stalled = await Promise.all(Array.from({ length: readers }, async () => stallReading(api.url)));
  let most = 0;
  let answered = 0;
  await eventually(
    'all are cut off',
    async () => {
      most = Math.max(most, residentMb(api.pid));
      assert.equal((await call({ url: api.url, key: partner.key }, '/v1/balance')).status, 200);
      answered += 1;
      return (await countEnded()) >= readers;
    },
    endedWithinMs,
  );
  t.diagnostic(
    `${Math.round(before)} MB before, ${Math.round(most)} MB at most; ${answered} others answered meanwhile`,
  );
  assert(most - before < mostGrowthMb, `it grew by ${Math.round(most - before)} MB`);
  for (const bytes of await Promise.all(stalled.map(async ({ readOn }) => readOn())))
    assert(bytes < whole.byteLength, 'one had all of it');
  const read = await slow;
  assert(read > whole.byteLength, `the slow one was cut off after ${read} bytes`);
  assert.equal(await countEnded(), readers);
});
