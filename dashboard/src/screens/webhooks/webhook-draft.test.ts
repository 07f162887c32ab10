import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Webhook } from '@kelpie/sdk';
import {
  draftOf,
  emptyWebhookDraft,
  webhookChange,
  webhookMistakes,
  webhookMistakesFrom,
  webhookRequest,
} from './webhook-draft.ts';

const draft = { ...emptyWebhookDraft, url: ' https://shop.example/kelpie ' };

test('a webhook needs a URL, which is encrypted in live', () => {
  assert.deepEqual(webhookMistakes(draft, 'live'), {});
  for (const url of ['', 'shop.example/kelpie'])
    assert.match(webhookMistakes({ ...draft, url }, 'live').url ?? '', /^Enter a URL/);
  const plain = { ...draft, url: 'http://shop.example' };
  assert.deepEqual(webhookMistakes(plain, 'sandbox'), {});
  assert.equal(webhookMistakes(plain, 'live').url, 'Start with https://.');
});

test('chosen types are at least one, and all events are no list, which would leave out later types', () => {
  const chosen = { ...draft, which: 'chosen' } as const;
  assert.equal(webhookMistakes(chosen, 'live').types, 'Choose at least one event type.');
  assert.deepEqual(webhookRequest({ ...chosen, types: ['payout.failed'] }), {
    url: 'https://shop.example/kelpie',
    description: null,
    types: ['payout.failed'],
  });
  assert.equal(webhookRequest({ ...draft, types: ['payout.failed'] }).types, null);
});

test('an edit keeps types that this page does not know, unless others are chosen', () => {
  const webhook: Webhook = {
    id: '01a1e3b1-25d4-7c3e-b5d1-0f4a9e6b2d72',
    object: 'webhook',
    environment: 'sandbox',
    url: 'https://shop.example/kelpie',
    description: null,
    types: ['payout.failed', 'payout.newer'],
    status: 'enabled',
    disabled_reason: null,
    disabled_at: null,
    failing_since: null,
    previous_secret_expires_at: null,
    created_at: '2026-11-16T09:30:00.000Z',
  };
  const same = draftOf(webhook);
  const others = { url: webhook.url, description: 'Orders' };
  assert.deepEqual(webhookChange(webhook, webhookRequest({ ...same, description: 'Orders' })), others);
  const all = webhookRequest({ ...same, description: 'Orders', which: 'all' });
  assert.deepEqual(webhookChange(webhook, all), { ...others, types: null });
});

test('what the API says of a field is shown at that field', () => {
  assert.deepEqual(
    webhookMistakesFrom([
      { path: 'url', rule: 'must be a public address' },
      { path: 'types.0', rule: 'must be one of these' },
      { path: 'other', rule: 'is not accepted here' },
    ]),
    { url: 'It must be a public address.', types: 'It must be one of these.' },
  );
});
