import assert from 'node:assert/strict';
import { createHash, createSign, generateKeyPairSync, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { startTcpProxy } from '@kelpie/dev/tcp-proxy.ts';
import { createPayout, getPayout } from '../harness/client.ts';
import { untilQuiet } from '../harness/waits.ts';
import { startWorld } from '../harness/world.ts';

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString().trim();
const world = await startWorld();
const { hostname, port, href } = new URL(world.database.serviceUrl);
const proxy = await startTcpProxy({ host: hostname, port: Number(port) });
const api = await world.addApi({
  KELPIE_SANDBOX_BANK_WEBHOOK_KEY: pem,
  KELPIE_DATABASE_URL: href.replace(`:${port}/`, `:${proxy.port}/`),
});
const client = { url: api.url, key: world.partner.key };

/** A webhook as the bank signs it, of no order that we know. */
function signedWebhook(): RequestInit {
  const body = JSON.stringify({
    event_id: randomUUID(),
    event_category: 'transfer',
    event_object_id: randomUUID(),
    event_object: { client_reference_id: randomUUID() },
  });
  const at = Date.now();
  const digest = createHash('sha256').update(`${at}.${body}`).digest();
  const signature = `t=${at},v0=${createSign('RSA-SHA256').update(digest).sign(privateKey, 'base64')}`;
  return { method: 'POST', headers: { 'content-type': 'application/json', 'x-webhook-signature': signature }, body };
}

async function deliver(webhook: RequestInit): Promise<number> {
  const response = await fetch(`${api.url}/bank-webhooks/sandbox`, webhook);
  await response.arrayBuffer();
  return response.status;
}

/** As many at a time as would hold every connection for seconds, if each webhook took one. */
const atOnce = 200;

async function deliverAll(webhooks: readonly RequestInit[]): Promise<number[]> {
  const left = [...webhooks];
  const statuses: number[] = [];
  const lane = async (): Promise<void> => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) statuses.push(await deliver(next));
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return statuses;
}

test('faults 72: a flood of 1,000 webhooks leaves the api ready, and reads are answered', async () => {
  const made = await createPayout(client);
  await untilQuiet(world.database);
  const webhooks = Array.from({ length: 1_000 }, signedWebhook);
  // Each call takes longer than usual, so that whoever holds connections holds them for long.
  proxy.setFault({ kind: 'delay', delayMs: 50 });
  const over = new AbortController();
  const flood = deliverAll(webhooks).finally(() => over.abort());
  const statuses = new Set<string>();
  let reads = 0;
  for (; !over.signal.aborted; reads += 1) {
    const ready = await fetch(`${api.url}/readyz`);
    await ready.arrayBuffer();
    statuses.add(`ready ${ready.status}`);
    statuses.add(`read ${(await getPayout(client, made.id)).status}`);
  }
  proxy.setFault({ kind: 'none' });
  assert(reads > 0);
  assert.deepEqual([...statuses].toSorted(), ['read 200', 'ready 200']);
  assert.deepEqual(
    [...new Set(await flood)].filter((status) => status !== 200 && status !== 503),
    [],
  );
});

test('faults 72: what can not be written is 503, so that the bank sends it again', async () => {
  await proxy.close();
  const statuses = await Promise.all(Array.from({ length: 20 }, signedWebhook).map(deliver));
  assert.deepEqual([...new Set(statuses)], [503]);
});
