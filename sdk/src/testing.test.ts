import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { verifyWebhook, type Event, type EventType } from './index.ts';
import { sampleData } from './sample-events.ts';
import { createEvent, createSecret, signWebhook } from './testing.ts';

const types = Object.keys(sampleData).filter((name): name is EventType => name in sampleData);

test('an event of every type is signed so that the client and the reference library both take it', async () => {
  const secret = createSecret();
  assert(types.length >= 18);
  for (const type of types) {
    const event = createEvent(type, { sequence: 42 });
    const signed = await signWebhook(event, secret);
    assert.deepEqual(await verifyWebhook(signed, secret), event);
    assert.deepEqual(new Webhook(secret).verify(signed.body, signed.headers), event);
    const request = new Request('https://example.com/hook', { method: 'POST', ...signed });
    assert.equal((await verifyWebhook(request, secret)).type, type);
    assert.equal(event.webhook.previous_sequence, 41);
  }
});

test('an event is in the state that its type says, and has what the test is about', () => {
  const returned = createEvent('payout.returned', { data: { reference: 'Order 42' } });
  // Compiles only where the type tells the data apart.
  const {
    status,
    reference,
    failure_code: code,
  }: { status: string; reference: string | null; failure_code: string | null } = returned.data;
  assert.deepEqual([status, reference, code], ['returned', 'Order 42', 'account_closed']);
  const event: Event = returned;
  assert.equal(event.type, 'payout.returned');
  assert.equal(createEvent('wallet.low').webhook.previous_sequence, null);
  assert.notEqual(createEvent('wallet.low').id, createEvent('wallet.low').id);
});

test('what is old, changed or signed by another secret is refused as from Kelpie', async () => {
  const [secret, other] = [createSecret(), createSecret()];
  const event = createEvent('payout.completed');
  const old = await signWebhook(event, secret, { now: new Date(Date.now() - 600_000) });
  await assert.rejects(verifyWebhook(old, secret), { code: 'too_old' });
  const signed = await signWebhook(event, secret);
  await assert.rejects(verifyWebhook({ ...signed, body: `${signed.body} ` }, secret), { code: 'wrong_signature' });
  await assert.rejects(verifyWebhook(signed, other), { code: 'wrong_signature' });
  assert.deepEqual(await verifyWebhook(await signWebhook(event, [secret, other]), other), event);
  await assert.rejects(signWebhook(event, 'not a secret'), { code: 'invalid_secret' });
});
