import assert from 'node:assert/strict';
import { createHash, createSign, generateKeyPairSync, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { createServer } from '../../http/server.ts';
import { systemClock } from '../../platform/clock.ts';
import { createLogger } from '../../platform/logging.ts';
import { createMetrics } from '../../platform/metrics.ts';
import { addWebhookRoutes } from './webhook-routes.ts';

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const bank = '192.0.2.7';

async function open() {
  const lines: string[] = [];
  const woken: string[] = [];
  const logger = createLogger('test', 'info', { write: (line) => void lines.push(line) });
  const { app, finish } = createServer({
    clock: systemClock,
    logger,
    meter: createMetrics().meter,
    supportEmail: 'support@kelpie.example',
    retryAfterSeconds: () => 1,
  });
  await addWebhookRoutes(app, {
    clock: systemClock,
    logger,
    webhookKeys: { sandbox: publicKey, live: null },
    wakePayment: async () => void woken.push('payment'),
    wakeVerification: async () => Promise.resolve(),
    wakeDeposit: async () => Promise.resolve(),
  });
  finish();
  const deliver = async (remoteAddress: string, { isForged = false, at = Date.now() } = {}): Promise<number> => {
    const body = JSON.stringify({
      event_id: randomUUID(),
      event_category: 'transfer',
      event_object_id: randomUUID(),
      event_object: { client_reference_id: randomUUID() },
    });
    const digest = createHash('sha256').update(`${at}.${body}`).digest();
    const signed = createSign('RSA-SHA256').update(digest).sign(privateKey, 'base64');
    const answer = await app.inject({
      method: 'POST',
      url: '/bank-webhooks/sandbox',
      remoteAddress,
      headers: {
        'content-type': 'application/json',
        'x-webhook-signature': `t=${at},v0=${isForged ? 'Zm9yZ2Vk' : signed}`,
      },
      body,
    });
    return answer.statusCode;
  };
  return { app, lines, woken, deliver };
}

async function times<Result>(count: number, once: (nth: number) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  for (let nth = 0; nth < count; nth += 1) results.push(await once(nth));
  return results;
}

test('who forges webhooks is soon not read any more, and fills no log', async () => {
  const { lines, deliver } = await open();
  const statuses = await times(100, async () => deliver('203.0.113.5', { isForged: true }));
  const read = statuses.filter((status) => status === 401).length;
  assert(read >= 20 && read < 40, `${read}`);
  assert.match(lines[0] ?? '', /"action":"bank_webhook","requests":1,"event":"requests.refused"/);
  assert(!lines.some((line) => line.includes('request.done')), 'each has a line');
});

test('a sender whose webhooks are genuine is heard while hundreds of others forge', async () => {
  const { woken, deliver } = await open();
  assert.equal(await deliver(bank), 200);
  const forged = await times(400, async (nth) => deliver(`198.51.${nth >> 8}.${nth & 255}`, { isForged: true }));
  assert(forged.includes(429), 'all of them were read');
  assert.deepEqual(await times(50, async () => deliver(bank)), Array(50).fill(200));
  assert.equal(woken.length, 51);
});

test('an old webhook of a bank is refused, and is no forgery', async () => {
  const { lines, deliver } = await open();
  const old = Date.now() - 3_600_000;
  assert.deepEqual(await times(30, async () => deliver(bank, { at: old })), Array(30).fill(401));
  assert.equal(await deliver(bank), 200);
  assert(lines.some((line) => line.includes('webhook: stale')));
});
