import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { call } from '../harness/client.ts';
import { largestFile, stallReading } from '../harness/stalled-reader.ts';
import type { Attack } from './attempts.ts';

// Attacks by how much is asked, and how little of the answer is taken.

/** Behind a proxy that this process trusts, so that each stranger has an address. */
const behindProxy = { KELPIE_TRUSTED_PROXIES: '127.0.0.1' };

interface Asked {
  url: string;
  path: string;
  method?: string;
  from: string;
}

async function askFrom({ url, path, method = 'GET', from }: Asked): Promise<number> {
  const headers = {
    'x-forwarded-for': from,
    ...(method === 'GET'
      ? {}
      : { 'content-type': 'application/json', 'x-webhook-signature': `t=${Date.now()},v0=Zm9yZ2Vk` }),
  };
  const answer = await fetch(url + path, {
    method,
    headers,
    ...(method === 'GET' ? {} : { body: '{"event_id":"x"}' }),
  });
  await answer.arrayBuffer();
  return answer.status;
}

/** Asks so many times, a few at once; says which statuses came, and in how many seconds. */
async function askMany(
  times: number,
  askOne: (nth: number) => Promise<number>,
): Promise<{ statuses: number[]; seconds: number }> {
  const begun = performance.now();
  const statuses: number[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let nth = next++; nth < times; nth = next++) statuses.push(await askOne(nth));
  };
  await Promise.all(Array.from({ length: 20 }, lane));
  return { statuses, seconds: (performance.now() - begun) / 1_000 };
}

function countOf(statuses: readonly number[], status: number): number {
  return statuses.filter((each) => each === status).length;
}

/** The api looks twice, 15 s apart. */
const cutOffMs = 33_000;

const stalledReaders: Attack = {
  name: 'stalled-readers',
  tries: '20 readers ask for 4 MB each and take nothing, to keep memory and connections for as long as they like',
  async run({ apis: [{ url }] }, attempts) {
    const whole = await fetch(url + largestFile, { headers: { 'accept-encoding': 'identity' } });
    const { byteLength } = await whole.arrayBuffer();
    const readers = await Promise.all(Array.from({ length: 20 }, async () => stallReading(url)));
    await wait(cutOffMs);
    for (const bytes of await Promise.all(readers.map(async ({ readOn }) => readOn())))
      attempts.add(`still answered: ${bytes} bytes`, bytes >= byteLength);
  },
};

const mostConnections = 50;

const connectionFlood: Attack = {
  name: 'connection-flood',
  tries: '300 connections are opened where 50 may be, and kept',
  async run(stage, attempts) {
    const { url } = await stage.addApi({ KELPIE_MAX_CONNECTIONS: `${mostConnections}` });
    const open = new Set<Socket>();
    const all: Socket[] = [];
    const settled = Array.from({ length: 300 }, async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1' });
      all.push(socket);
      open.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        open.delete(socket);
        resolve();
      });
      // The connections that are kept are answered.
      socket.on('data', () => resolve());
      socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n');
      await promise;
    });
    await Promise.race([Promise.all(settled), wait(20_000)]);
    attempts.add(`${open.size} of 300 are open`, open.size > mostConnections);
    for (const socket of all) socket.destroy();
    const after = await call({ url, key: null }, '/v1');
    attempts.add(`another caller afterwards: ${after.status}`, after.status !== 200);
  },
};

const probeFlood: Attack = {
  name: 'probe-flood',
  tries:
    'strangers ask /readyz 1,000 times, to use up the database or to make the load balancer think that we are gone',
  async run(stage, attempts) {
    const api = await stage.addApi(behindProxy);
    const { url } = api;
    const one = await askMany(300, async () => askFrom({ url, path: '/readyz', from: '198.51.100.7' }));
    attempts.add(`${countOf(one.statuses, 200)} of one address`, countOf(one.statuses, 200) > 61 + 2 * one.seconds);
    const many = await askMany(700, async (nth) =>
      askFrom({ url, path: '/readyz', from: `203.0.${nth % 5}.${Math.floor(nth / 5) + 1}` }),
    );
    attempts.add(`${countOf(many.statuses, 200)} of many`, countOf(many.statuses, 200) > 201 + 20 * many.seconds);
    const own = await askMany(20, async () => (await call({ url, key: null }, '/readyz')).status);
    attempts.add('the probe of the load balancer is turned away', countOf(own.statuses, 200) < own.statuses.length);
    const written = api.lines().filter((line) => line.includes('/readyz') || line.includes('requests.refused')).length;
    const answered = countOf([...one.statuses, ...many.statuses, ...own.statuses], 200);
    attempts.add(`${written} lines for ${answered} answers`, written > answered + 10);
  },
};

const forgedWebhooks: Attack = {
  name: 'forged-webhooks',
  tries: '600 forged webhooks are each read and checked, and fill the log',
  async run(stage, attempts) {
    const api = await stage.addApi(behindProxy);
    const { url } = api;
    const path = '/bank-webhooks/live';
    const one = await askMany(200, async () => askFrom({ url, path, method: 'POST', from: '198.51.100.7' }));
    attempts.add(
      `${countOf(one.statuses, 401)} of one address are read`,
      countOf(one.statuses, 401) > 45 + one.seconds,
    );
    const many = await askMany(400, async (nth) =>
      askFrom({ url, path, method: 'POST', from: `203.0.${nth % 5}.${Math.floor(nth / 5) + 1}` }),
    );
    const read = countOf(many.statuses, 401);
    attempts.add(`${read} of many are read`, read > 225 + 5 * many.seconds);
    const written = api.lines().filter((line) => /bank-webhooks|bank_webhook/.test(line)).length;
    attempts.add(`${written} lines`, written > 5);
    attempts.add('a forged one is taken', countOf([...one.statuses, ...many.statuses], 200) > 0);
  },
};

export const floodAttacks: readonly Attack[] = [stalledReaders, connectionFlood, probeFlood, forgedWebhooks];
