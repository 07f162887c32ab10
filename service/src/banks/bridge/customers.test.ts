import assert from 'node:assert/strict';
import { createPublicKey, randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { inspect } from 'node:util';
import { eventually } from '@kelpie/dev/eventually.ts';
import { startSandboxBank } from '@kelpie/sandbox-bank/test/harness.ts';
import { startReceiver } from '@kelpie/sandbox-bank/test/receiver.ts';
import { orderOf, recipientWith, register } from '../../../test/banks/bank-contract.ts';
import { createBridgeBank, createHttpAgent, readWebhook } from '../index.ts';
import type { Verification } from '../port/customers.ts';

const sandboxBank = await startSandboxBank({ mode: 'live-stand-in', settleAfterMs: 60_000 });
const agent = createHttpAgent();
after(async () => agent.destroy());

/** An adapter of its own for each test: a circuit that one of them opened is not another's business. */
function openBank() {
  return createBridgeBank(agent, { url: sandboxBank.wireUrl, apiKey: sandboxBank.apiKey });
}

function newOrder() {
  return {
    name: 'Tideway & Söhne',
    email: `${randomUUID()}@tideway.example`,
    redirectUrl: 'https://dashboard.kelpie.example/verification',
    idempotencyKey: randomUUID(),
  };
}

async function start(order = newOrder()): Promise<Verification> {
  const outcome = await openBank().startVerification(order);
  assert(outcome.kind === 'started', inspect(outcome));
  return outcome.verification;
}

async function find(id: string): Promise<Verification> {
  const outcome = await openBank().findVerification(id);
  assert(outcome.kind === 'found', inspect(outcome));
  return outcome.verification;
}

async function control(verification: Verification, act: string, body: object = {}): Promise<Verification> {
  await sandboxBank.control(`/kyc-links/${verification.id}/${act}`, body);
  return find(verification.id);
}

test('a verification starts with two pages that are there, and something to do', async () => {
  const verification = await start();
  const { state, providerStatus, customerId, continueUrl, termsUrl } = verification;
  assert.deepEqual([state, providerStatus, customerId], ['action_required', 'not_started', null]);
  for (const page of [continueUrl, termsUrl]) assert.equal((await fetch(page ?? '')).status, 200);
  assert.deepEqual(await find(verification.id), verification);
});

test('the same key finds the same verification, and another key finds it by its email', async () => {
  const order = newOrder();
  const verification = await start(order);
  const again = await Promise.all(Array.from({ length: 5 }, async () => start(order)));
  for (const other of again) assert.deepEqual(other, verification);
  assert.deepEqual(await start({ ...order, idempotencyKey: randomUUID() }), verification);
});

test("another business with the same email does not get the first one's verification", async () => {
  const order = newOrder();
  await control(await start(order), 'approve');
  const other = { ...order, name: 'Other Ltd', idempotencyKey: randomUUID() };
  assert.equal((await openBank().startVerification(other)).kind, 'failed');
});

test('what the bank asks for, reviews, refuses and approves is told as that', async () => {
  const verification = await start();
  const accepted = await control(verification, 'accept-terms');
  assert.equal(accepted.state, 'action_required');
  const asked = await control(verification, 'ask-for-more', { reason: 'Who owns it?' });
  assert.deepEqual(
    [asked.state, asked.providerStatus, asked.reasons],
    ['action_required', 'incomplete', ['Who owns it?']],
  );
  assert.equal((await control(verification, 'review')).state, 'in_review');
  const refused = await control(verification, 'reject', { reason: 'The director is unknown.' });
  assert.deepEqual([refused.state, refused.reasons], ['rejected', ['The director is unknown.']]);
  const approved = await control(verification, 'approve');
  assert.deepEqual([approved.state, approved.reasons], ['approved', []]);
});

test('an approval without the terms is none, until they are accepted', async () => {
  const verification = await start();
  const early = await control(verification, 'status', { kyc_status: 'approved' });
  assert.deepEqual([early.state, early.customerId], ['action_required', null]);
  assert.equal((await control(verification, 'accept-terms')).state, 'approved');
});

test('an approved business gets one wallet, however often it is asked for, and can pay from it once it is topped up', async () => {
  const { customerId } = await control(await start(), 'approve');
  assert(customerId !== null);
  const bank = openBank();
  const order = { customerId, idempotencyKey: randomUUID() };
  const opened = await bank.openWallet(order);
  assert(opened.kind === 'opened', inspect(opened));
  assert.deepEqual(await bank.openWallet(order), opened);
  const under = { bank, customerId, walletId: opened.walletId };
  await sandboxBank.control(`/wallets/${opened.walletId}/adjust`, { micro_usdc: 1_000_000_000 });
  const sent = await bank.sendPayment(orderOf(under, await register(under, recipientWith())));
  assert.equal(sent.kind, 'accepted', inspect(sent));
});

test('a wallet of a customer that the bank does not know is not opened', async () => {
  const order = { customerId: randomUUID(), idempotencyKey: randomUUID() };
  assert.equal((await openBank().openWallet(order)).kind, 'failed');
});

for (const kind of ['error_before', 'error_after', 'drop_request', 'drop_reply', 'truncated', 'wrong_types', 'html']) {
  test(`a bank that does ${kind} has started nothing that we know of, and a second try finds or starts it`, async () => {
    const order = newOrder();
    const bank = openBank();
    await sandboxBank.control('/faults', { on: 'kyc_link.create', kind, times: 1 });
    assert.equal((await bank.startVerification(order)).kind, 'failed');
    const again = await bank.startVerification(order);
    assert(again.kind === 'started', inspect(again));
    await sandboxBank.control('/faults', { on: 'kyc_link.read', kind, times: 1 });
    assert.equal((await bank.findVerification(again.verification.id)).kind, 'unknown');
    assert.deepEqual(await bank.findVerification(again.verification.id), { ...again, kind: 'found' });
  });
}

test('verifications that fail again and again keep no payment from being read', async () => {
  const bank = openBank();
  await sandboxBank.control('/faults', { on: 'kyc_link.read', kind: 'error_before' });
  for (let failure = 0; failure < 6; failure += 1) await bank.findVerification(randomUUID());
  assert.deepEqual(await bank.findVerification(randomUUID()), { kind: 'unknown', text: 'circuit open' });
  assert.deepEqual(await bank.findPayment(randomUUID()), { kind: 'absent' });
  await sandboxBank.control('DELETE /faults');
});

test("the bank's webhooks say which verification has news", async () => {
  const receiver = await startReceiver(sandboxBank);
  const verification = await start();
  await control(verification, 'approve');
  await eventually('three events', async () => receiver.statesOf(verification.id).length === 3);
  const publicKey = createPublicKey(receiver.publicKey);
  for (const { body, signature } of receiver.received) {
    const event = readWebhook({ header: signature, rawBody: Buffer.from(body), publicKey, now: new Date() });
    assert(event.kind === 'verification' && event.verificationId === verification.id, inspect(event));
  }
});
