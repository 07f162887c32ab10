import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { settings } from '../../src/platform/configuration/settings.ts';
import { createTestDatabase } from '../harness/database.ts';
import { eventually } from '@kelpie/dev/eventually.ts';
import { createPayout } from '../harness/client.ts';
import { startApi, type ApiProcess } from '../harness/processes.ts';
import { startWorld } from '../harness/world.ts';

const clients = 16;
const checkEveryMs = 100;

const database = await createTestDatabase();

/** The whole answer, or an error where the connection broke before its end. */
async function ask(agent: Agent, url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent, timeout: 5_000 }, (response) => {
      response.resume();
      response.on('end', () =>
        response.complete ? resolve(response.statusCode ?? 0) : reject(new Error('cut short')),
      );
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.on('timeout', () => sent.destroy(new Error('no answer')));
    sent.end();
  });
}

/** Sends traffic as a load balancer does: on connections that are kept, to those processes that say they are ready. */
function startTraffic(apis: readonly ApiProcess[]) {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const checks = new Agent({ keepAlive: false });
  const ready = new Set(apis);
  const counts: { answered: number; broken: string[] } = { answered: 0, broken: [] };
  const stopped = new AbortController();

  const check = async (api: ApiProcess): Promise<void> => {
    while (!stopped.signal.aborted) {
      const status = await ask(checks, `${api.url}/readyz`).catch(() => 0);
      if (status === 200) ready.add(api);
      else ready.delete(api);
      await new Promise((resolve) => setTimeout(resolve, checkEveryMs));
    }
  };
  const send = async (): Promise<void> => {
    for (let at = 0; !stopped.signal.aborted; at += 1) {
      const target = [...ready][at % ready.size];
      try {
        if (target === undefined) throw new Error('no api was ready');
        const status = await ask(agent, `${target.url}/v1`);
        if (status === 200) counts.answered += 1;
        else counts.broken.push(`status ${status}`);
      } catch (error) {
        counts.broken.push(String(error));
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    }
  };
  const done = Promise.all([...apis.map(check), ...Array.from({ length: clients }, send)]);
  return {
    counts,
    async stop() {
      stopped.abort();
      await done;
      agent.destroy();
    },
  };
}

test('faults 6: an api that is told to stop under traffic breaks no answer and is gone within 10 s', async (t) => {
  // The real delay: what a deploy would see.
  const options = { database, env: { KELPIE_DRAIN_DELAY_MS: settings.drainDelayMs.fallback ?? '' } };
  const [leaving, staying] = await Promise.all([startApi(options), startApi(options)]);
  const traffic = startTraffic([leaving, staying]);
  await eventually('traffic flows', async () => traffic.counts.answered > 500);
  const before = traffic.counts.answered;

  const startedAt = performance.now();
  leaving.kill('SIGTERM');
  const exit = await leaving.exited;
  const tookMs = Math.round(performance.now() - startedAt);
  const during = traffic.counts.answered - before;
  await traffic.stop();

  t.diagnostic(`${during} answers while it stopped, which took ${tookMs} ms; broken: ${traffic.counts.broken.length}`);
  assert.deepEqual(traffic.counts.broken, []);
  assert.deepEqual(exit, { code: 0, signal: null });
  assert(during > 500, `there was too little traffic: ${during}`);
  assert(tookMs < 10_000, `it took ${tookMs} ms`);
});

test('a connection on which nothing is asked, or half a request, does not hold up an api that is told to stop', async () => {
  const api = await startApi({ database });
  const { port } = new URL(api.url);
  const silent = connect(Number(port), '127.0.0.1');
  const half = connect(Number(port), '127.0.0.1');
  half.write('GET /v1 HTTP/1.1\r\nHost: x\r\n');
  for (const socket of [silent, half]) socket.on('error', () => socket.destroy());
  await Promise.all([once(silent, 'connect'), once(half, 'connect')]);
  assert.equal(await ask(new Agent(), `${api.url}/v1`), 200);
  const startedAt = performance.now();
  assert.deepEqual(await api.stop(), { code: 0, signal: null });
  assert(performance.now() - startedAt < 5_000);
});

test('faults 6: a payout that comes at the end of the longest delay is answered, though the bank takes 6 s', async () => {
  const delayMs = 8_000;
  const { api, bank, partner } = await startWorld({
    withoutWorker: true,
    env: { KELPIE_DRAIN_DELAY_MS: String(delayMs) },
  });
  await bank.control('/faults', { on: 'external_account.create', kind: 'delay_reply', delay_ms: 2_000, times: 1 });
  await bank.control('/faults', { on: 'transfer.create', kind: 'delay_reply', delay_ms: 4_000, times: 1 });
  api.kill('SIGTERM');
  await wait(delayMs - 500);
  const { status, payout } = await createPayout({ url: api.url, key: partner.key });
  assert.deepEqual([status, payout], [201, 'processing']);
  assert.deepEqual(await api.exited, { code: 0, signal: null });
});
