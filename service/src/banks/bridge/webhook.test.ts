import assert from 'node:assert/strict';
import { createHash, createSign, generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { readWebhook } from './webhook.ts';

const bankKey = generateKeyPairSync('rsa', { modulusLength: 2048 });
const otherKey = generateKeyPairSync('rsa', { modulusLength: 2048 });
const { publicKey } = bankKey;
const now = new Date('2026-11-15T12:00:00Z');
const body = JSON.stringify({
  event_id: 'e1',
  event_category: 'transfer',
  event_object_id: 't1',
  event_object: { id: 't1', client_reference_id: 'p1', state: 'payment_processed' },
});

function sign(rawBody: string, at: number, key = bankKey.privateKey): string {
  const digest = createHash('sha256').update(`${at}.${rawBody}`).digest();
  return `t=${at},v0=${createSign('RSA-SHA256').update(digest).sign(key, 'base64')}`;
}

function read(header: string, rawBody = body) {
  return readWebhook({ header, rawBody: Buffer.from(rawBody), publicKey, now });
}

const minutes = 60_000;

test('a webhook that the bank signed is genuine, and as often as it comes it says the same', () => {
  const genuine = {
    kind: 'payment',
    eventId: 'e1',
    paymentId: 't1',
    ourReference: 'p1',
    isUnderWay: false,
  };
  for (let time = 0; time < 100; time += 1) assert.deepEqual(read(sign(body, now.getTime() + time)), genuine);
});

function outcomeOf(category: string, object: object) {
  const about = { event_id: 'e2', event_category: category, event_object_id: 'o1', event_object: object };
  const text = JSON.stringify(about);
  return read(sign(text, now.getTime()), text);
}

test('one of a top-up names where it came in and which it is; one of the account itself is of no deposit', () => {
  const ofAccount = { virtual_account_id: 'va1', deposit_id: 'd1' };
  assert.deepEqual(outcomeOf('virtual_account.activity', ofAccount), {
    kind: 'deposit',
    eventId: 'e2',
    sourceId: 'va1',
    depositId: 'd1',
  });
  assert.deepEqual(outcomeOf('liquidation_address.drain', { liquidation_address_id: 'la1' }), {
    kind: 'deposit',
    eventId: 'e2',
    sourceId: 'la1',
    depositId: 'o1',
  });
  assert.equal(outcomeOf('virtual_account.activity', { virtual_account_id: 'va1' }).kind, 'other');
  assert.equal(outcomeOf('virtual_account.activity', {}).kind, 'other');
});

test('one of a transfer between wallets is of no payment', () => {
  const move = { client_reference_id: 'float-01a8c2ae-0000-7000-8000-000000000000', state: 'payment_processed' };
  assert.deepEqual(outcomeOf('transfer', move), { kind: 'other', eventId: 'e2' });
});

test('one that another key signed is refused', () => {
  assert.deepEqual(read(sign(body, now.getTime(), otherKey.privateKey)), { kind: 'refused', text: 'signature' });
});

test('one that is more than ten minutes old, or from the future, is refused', () => {
  for (const shift of [-11 * minutes, 11 * minutes]) {
    assert.deepEqual(read(sign(body, now.getTime() + shift)), { kind: 'refused', text: 'stale' });
  }
  for (const shift of [-9 * minutes, 9 * minutes])
    assert.equal(read(sign(body, now.getTime() + shift)).kind, 'payment');
});

test('faults 26: one with any byte flipped is refused', () => {
  const header = sign(body, now.getTime());
  for (let at = 0; at < body.length; at += 1) {
    const flipped = Buffer.from(body);
    flipped[at] = (flipped[at] ?? 0) ^ 1;
    const outcome = readWebhook({ header, rawBody: flipped, publicKey, now });
    assert.deepEqual(outcome, { kind: 'refused', text: 'signature' }, `byte ${at}`);
  }
});

test('one whose time was changed to look fresh is refused', () => {
  const stale = sign(body, now.getTime() - 60 * minutes);
  assert.deepEqual(read(stale.replace(/t=\d+/, `t=${now.getTime()}`)), { kind: 'refused', text: 'signature' });
});

test('a header that is none is refused, and so is a signed body without an event', () => {
  for (const header of [
    '',
    't=,v0=',
    'v0=abc',
    `t=${now.getTime()}`,
    `t=${now.getTime()},v0=%%%`,
    `t=${now.getTime()},v0=AAAA`,
  ]) {
    assert.deepEqual(read(header), { kind: 'refused', text: 'signature' }, header);
  }
  for (const empty of ['', 'null', '[]', '{"event_id":"e1"}', '{']) {
    assert.deepEqual(read(sign(empty, now.getTime()), empty), { kind: 'refused', text: 'unreadable' }, empty);
  }
});

function isUnderWay(state: string | undefined): boolean {
  const reported = body.replace('"payment_processed"', JSON.stringify(state ?? null));
  const outcome = read(sign(reported, now.getTime()), reported);
  assert(outcome.kind === 'payment');
  return outcome.isUnderWay;
}

test('a webhook that says only that a payment is under way is known as that, and one that says nothing is not', () => {
  for (const state of ['awaiting_funds', 'funds_received', 'payment_submitted']) assert.equal(isUnderWay(state), true);
  for (const state of ['payment_processed', 'returned', 'a new word', undefined])
    assert.equal(isUnderWay(state), false);
});

test('a webhook of a verification names it, and one of anything else is genuine and no more', () => {
  const link = body.replace('"transfer"', '"kyc_link"').replace('"event_object_id":"t1"', '"event_object_id":"k1"');
  assert.deepEqual(read(sign(link, now.getTime()), link), {
    kind: 'verification',
    eventId: 'e1',
    verificationId: 'k1',
  });
  for (const category of ['customer', 'virtual_account.activity', 'constructor']) {
    const other = body.replace('"transfer"', JSON.stringify(category));
    assert.deepEqual(read(sign(other, now.getTime()), other), { kind: 'other', eventId: 'e1' });
  }
});
