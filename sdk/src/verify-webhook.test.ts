import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { apiKey, payout } from '../test/examples.ts';
import { createKelpie, KelpieWebhookError, verifyWebhook, type WebhookErrorCode } from './index.ts';

const secret = `whsec_${Buffer.from('a secret of twenty-four b').toString('base64')}`;
const otherSecret = `whsec_${Buffer.from('another secret, also long').toString('base64')}`;
const now = new Date('2026-11-17T12:00:00.000Z');
const event = {
  id: '01a1e3b1-25d4-7c3e-b5d1-0f4a9e6b2d71',
  object: 'event',
  environment: 'sandbox',
  sequence: 42,
  type: 'payout.processing',
  version: 2,
  created_at: '2026-11-17T11:59:58.000Z',
  data: payout,
  webhook: { id: '01a1e3b1-25d4-7c3e-b5d1-0f4a9e6b2d72', previous_sequence: 41 },
};
const body = JSON.stringify(event);
const id = 'msg_42';

/** As the reference library signs it. */
function signed(text: string, { by = [secret], at = now }: { by?: string[]; at?: Date } = {}) {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': by.map((one) => new Webhook(one).sign(id, at, text)).join(' '),
  };
}

function failsWith(code: WebhookErrorCode) {
  return (error: unknown): boolean => error instanceof KelpieWebhookError && error.code === code;
}

const headers = signed(body);
const options = { now };

test('a webhook is verified in every form that servers have it in', async () => {
  const capitals = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]));
  const bytes = new Uint8Array(Buffer.from(body));
  const request = (): Request => new Request('https://example.com/hook', { method: 'POST', headers, body });
  for (const form of [
    request(),
    { headers, body },
    { headers, body: Buffer.from(body) },
    { headers: new Headers(headers), body: bytes },
    { headers: capitals, body: bytes },
    { headers, text: async () => body },
    { headers, arrayBuffer: async () => bytes.buffer, bodyUsed: false },
  ])
    assert.deepEqual(await verifyWebhook(form, secret, options), event);
  const kelpie = createKelpie({ apiKey, baseUrl: 'https://api.example.com' });
  const verified = await kelpie.webhooks.verify(request(), secret, options);
  assert(verified.type === 'payout.processing');
  assert.deepEqual([verified.webhook.previous_sequence, verified.data.amount_gbp], [41, '25.00']);
});

test('a body that was parsed is named as the cause, with what to do in Express, Fastify and Next.js', async () => {
  const read = new Request('https://example.com/hook', { method: 'POST', headers, body });
  await read.json();
  await assert.rejects(verifyWebhook(read, secret, options), failsWith('body_parsed'));
  for (const parsed of [event, undefined, null, 42]) {
    // As it comes from a framework, where a body is of any type.
    const request = { headers, body };
    Reflect.set(request, 'body', parsed);
    await assert.rejects(verifyWebhook(request, secret, options), failsWith('body_parsed'));
  }
  assert.match(new KelpieWebhookError('body_parsed').message, /parsed.*express\.raw.*addContentTypeParser.*Next\.js/);
});

test('either of two secrets is enough, on both sides', async () => {
  const both = signed(body, { by: [secret, otherSecret] });
  for (const [sent, known] of [
    [both, secret],
    [both, otherSecret],
    [headers, [otherSecret, secret]],
    [both, [secret, otherSecret]],
  ] as const)
    assert.deepEqual(await verifyWebhook({ headers: sent, body }, known, options), event);
  await assert.rejects(verifyWebhook({ headers, body }, otherSecret, options), failsWith('wrong_signature'));
});

test('a webhook is accepted within five minutes of its time, or as long as the caller says', async () => {
  const verify = async (seconds: number, toleranceSeconds?: number) =>
    verifyWebhook({ headers, body }, secret, { now: new Date(now.getTime() + seconds * 1000), toleranceSeconds });
  for (const seconds of [-300, 0, 300]) await verify(seconds);
  await assert.rejects(verify(301), failsWith('too_old'));
  await assert.rejects(verify(-301), failsWith('too_new'));
  await verify(3_600, 3_600);
  await assert.rejects(verify(11, 10), failsWith('too_old'));
  // By the clock of this machine, where none is given.
  await verifyWebhook({ headers: signed(body, { at: new Date() }), body }, secret);
  await assert.rejects(
    verifyWebhook({ headers: signed(body, { at: new Date(0) }), body }, secret),
    failsWith('too_old'),
  );
});

test('a missing header and an invalid secret are named, and no secret is repeated', async () => {
  for (const name of Object.keys(headers)) {
    const others = Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name));
    for (const left of [others, { ...others, [name]: '' }])
      await assert.rejects(verifyWebhook({ headers: left, body }, secret, options), failsWith('missing_header'));
  }
  const unreadable = { ...headers, 'webhook-timestamp': '12e3' };
  await assert.rejects(verifyWebhook({ headers: unreadable, body }, secret, options), failsWith('missing_header'));
  for (const wrong of ['', 'whsec_', 'whsec_?', apiKey, secret.slice(6), `${secret}\n`, 'whsec_A', []])
    await assert.rejects(
      verifyWebhook({ headers, body }, wrong, options),
      (error) => failsWith('invalid_secret')(error) && !inspect(error).includes(secret.slice(6)),
    );
});

const anySecret = fc
  .uint8Array({ minLength: 24, maxLength: 64 })
  .map((bytes) => `whsec_${Buffer.from(bytes).toString('base64')}`);
const anyBody = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()).map((value) => JSON.stringify(value));

test('what the reference library signs is accepted', async () => {
  await fc.assert(
    fc.asyncProperty(anySecret, anyBody, async (own, text) => {
      const found = await verifyWebhook({ headers: signed(text, { by: [own] }), body: text }, own, options);
      assert.deepEqual(found, JSON.parse(text));
    }),
  );
});

test('what the reference library refuses is refused, and the other way round', async () => {
  const change = fc.record({
    secret: fc.boolean(),
    body: fc.boolean(),
    id: fc.boolean(),
    ageSeconds: fc.integer({ min: -600, max: 600 }),
    version: fc.constantFrom('v1', 'v1', 'v1a', 'v2', ''),
  });
  await fc.assert(
    fc.asyncProperty(anySecret, anyBody, change, async (own, text, changed) => {
      const at = new Date(Math.floor(Date.now() / 1000) * 1000 - changed.ageSeconds * 1000);
      // At the very edge of the tolerance the two clocks may differ by a second.
      fc.pre(Math.abs(Math.abs(changed.ageSeconds) - 300) > 5);
      const sent = signed(text, { by: [changed.secret ? otherSecret : own], at });
      const signature = sent['webhook-signature'].replace('v1', changed.version);
      const headersSent = {
        ...sent,
        'webhook-signature': signature,
        ...(changed.id ? { 'webhook-id': 'msg_43' } : {}),
      };
      const bodySent = changed.body ? `${text} ` : text;
      const ours = await verifyWebhook({ headers: headersSent, body: bodySent }, own).then(
        () => true,
        () => false,
      );
      let theirs = true;
      try {
        new Webhook(own).verify(bodySent, headersSent);
      } catch {
        theirs = false;
      }
      assert.equal(ours, theirs);
    }),
    { numRuns: 300 },
  );
});

test('one changed bit anywhere in the body, the headers or the signature is refused', async () => {
  const bytes = Buffer.from(body);
  for (let at = 0; at < bytes.length; at += 1) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8));
    await assert.rejects(
      verifyWebhook({ headers, body: changed }, secret, options),
      failsWith('wrong_signature'),
      `byte ${at}`,
    );
  }
  for (const [name, value] of Object.entries(headers)) {
    for (let at = 0; at < value.length; at += 1) {
      const changed = Buffer.from(value);
      changed[at] = (changed[at] ?? 0) ^ 1;
      const sent = { ...headers, [name]: changed.toString('latin1') };
      await assert.rejects(
        verifyWebhook({ headers: sent, body }, secret, options),
        KelpieWebhookError,
        `${name} ${at}`,
      );
    }
  }
  for (let length = 0; length < bytes.length; length += 50)
    await assert.rejects(
      verifyWebhook({ headers, body: bytes.subarray(0, length) }, secret, options),
      failsWith('wrong_signature'),
    );
});
