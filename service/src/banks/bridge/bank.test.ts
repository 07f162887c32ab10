import assert from 'node:assert/strict';
import { createPublicKey, randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { inspect } from 'node:util';
import { startTcpProxy } from '@kelpie/dev/tcp-proxy.ts';
import { createCustomer } from '@kelpie/sandbox-bank/test/customer.ts';
import { startSandboxBank } from '@kelpie/sandbox-bank/test/harness.ts';
import { startReceiver } from '@kelpie/sandbox-bank/test/receiver.ts';
import {
  orderOf,
  recipientWith,
  register,
  testBankContract,
  type BankUnderTest,
} from '../../../test/banks/bank-contract.ts';
import { eventually } from '@kelpie/dev/eventually.ts';
import { createBridgeBank, createHttpAgent, readWebhook, type PaymentOrder, type SendOutcome } from '../index.ts';
import type { WebhookOutcome } from './webhook.ts';

const sandboxBank = await startSandboxBank({ settleAfterMs: 600 });
const { hostname, port } = new URL(sandboxBank.url);
const proxy = await startTcpProxy({ host: hostname, port: Number(port) });
const agent = createHttpAgent();
after(async () => {
  await agent.destroy();
  await proxy.close();
});

/** An adapter of its own for each test: a circuit that one of them opened is not another's business. */
async function setUp(
  through: 'directly' | 'proxy' = 'directly',
): Promise<BankUnderTest & { bank: ReturnType<typeof createBridgeBank> }> {
  const customer = await createCustomer(sandboxBank, '55779911');
  const url = through === 'proxy' ? `http://127.0.0.1:${proxy.port}/v0` : sandboxBank.wireUrl;
  const bank = createBridgeBank(agent, { url, apiKey: sandboxBank.apiKey });
  return { bank, customerId: customer.id, walletId: customer.walletId };
}

testBankContract('bridge on the sandbox bank', setUp);

async function paymentsOf(order: PaymentOrder): Promise<number> {
  const { payments } = await sandboxBank.record();
  return payments.filter((payment) => payment.client_reference_id === order.ourReference).length;
}

async function withFault(fault: object, work: () => Promise<SendOutcome>): Promise<SendOutcome> {
  await sandboxBank.control('/faults', { on: 'transfer.create', times: 1, ...fault });
  try {
    return await work();
  } finally {
    await sandboxBank.control('DELETE /faults');
  }
}

/** What the bank does, what we say of it, and whether the bank's own record has a payment then. */
const faults: [fault: object, outcome: SendOutcome['kind'], paid: 0 | 1][] = [
  [{ kind: 'reject', code: 'invalid_parameters' }, 'rejected', 0],
  [{ kind: 'reject', code: 'unauthorized', status: 401 }, 'rejected', 0],
  [{ kind: 'error_before' }, 'unknown', 0],
  [{ kind: 'error_after' }, 'unknown', 1],
  [{ kind: 'drop_request' }, 'unknown', 0],
  [{ kind: 'drop_reply' }, 'unknown', 1],
  [{ kind: 'delay_reply', delay_ms: 6_000 }, 'unknown', 1],
  [{ kind: 'truncated' }, 'unknown', 1],
  [{ kind: 'wrong_types' }, 'unknown', 1],
  [{ kind: 'empty' }, 'unknown', 1],
  [{ kind: 'html' }, 'unknown', 1],
  [{ kind: 'take_different', micro_usdc: 10_000 }, 'accepted', 1],
];

for (const [fault, kind, paid] of faults) {
  test(`a bank that does ${JSON.stringify(fault)} is ${kind}, and the same order again never pays twice`, async () => {
    const under = await setUp();
    const order = orderOf(under, await register(under, recipientWith()));
    const outcome = await withFault(fault, async () => under.bank.sendPayment(order));
    assert.equal(outcome.kind, kind, inspect(outcome));
    assert.equal(await paymentsOf(order), paid);
    const again = await under.bank.sendPayment(order);
    assert.equal(again.kind, 'accepted');
    assert.equal(await paymentsOf(order), 1);
  });
}

test('a payment that the bank makes only after we gave up, and after we asked again, is still one payment', async () => {
  const under = await setUp();
  const order = orderOf(under, await register(under, recipientWith()));
  const startedAt = performance.now();
  const outcome = await withFault({ kind: 'delay', delay_ms: 6_000 }, async () => under.bank.sendPayment(order));
  assert.equal(outcome.kind, 'unknown');
  assert.equal(await paymentsOf(order), 0);
  assert.equal((await under.bank.sendPayment(order)).kind, 'accepted');
  await eventually('the first one has come through', async () => performance.now() - startedAt > 6_500);
  assert.equal(await paymentsOf(order), 1);
});

test('a bank that takes another amount says so', async () => {
  const under = await setUp();
  const order = orderOf(under, await register(under, recipientWith()));
  const usual = await under.bank.sendPayment(order);
  const other = await withFault({ kind: 'take_different', micro_usdc: -20_000 }, async () =>
    under.bank.sendPayment({ ...order, idempotencyKey: randomUUID() }),
  );
  assert(usual.kind === 'accepted' && other.kind === 'accepted');
  assert.equal((usual.payment.taken ?? 0n) - (other.payment.taken ?? 0n), 20_000n);
});

test('a wallet that is short is rejected for that, and nothing is paid', async () => {
  const under = await setUp();
  const order = orderOf(under, await register(under, recipientWith()), { amount: 2_000_000n });
  const outcome = await under.bank.sendPayment(order);
  assert(outcome.kind === 'rejected' && outcome.reason === 'insufficient_funds');
  assert.equal(await paymentsOf(order), 0);
});

test('a recipient whose account the bank refuses is rejected; one that it can not register now has failed', async () => {
  const under = await setUp();
  const order = {
    customerId: under.customerId,
    recipient: recipientWith({ sortCode: '12' }),
    idempotencyKey: randomUUID(),
  };
  assert.equal((await under.bank.registerRecipient(order)).kind, 'rejected');
  await sandboxBank.control('/faults', { on: 'external_account.create', kind: 'error_before', times: 1 });
  const failed = await under.bank.registerRecipient({
    ...order,
    recipient: recipientWith(),
    idempotencyKey: randomUUID(),
  });
  assert.equal(failed.kind, 'failed');
  await sandboxBank.control('DELETE /faults');
});

test('an account that the bank has closed is rejected, when it is registered and when it is paid', async () => {
  const under = await setUp();
  const recipientId = await register(under, recipientWith());
  await sandboxBank.control(`/external_accounts/${recipientId}/deactivate`, { reason: 'invalid_account_number' });
  const again = { customerId: under.customerId, recipient: recipientWith(), idempotencyKey: randomUUID() };
  assert.equal((await under.bank.registerRecipient(again)).kind, 'rejected');
  const sent = await under.bank.sendPayment(orderOf(under, recipientId));
  assert(sent.kind === 'rejected' && sent.reason === 'account_details', inspect(sent));
});

test('an account that is registered under another name is not taken for this recipient', async () => {
  const under = await setUp();
  await register(under, recipientWith());
  const other = await under.bank.registerRecipient({
    customerId: under.customerId,
    recipient: recipientWith({ firstName: 'Grace', lastName: 'Hopper' }),
    idempotencyKey: randomUUID(),
  });
  assert(
    other.kind === 'registered'
      ? other.recipientId !== (await register(under, recipientWith()))
      : other.kind === 'refused',
  );
});

test('only a request of which no byte left is unreachable: the proxy counts', async () => {
  const under = await setUp('proxy');
  const order = orderOf(under, await register(under, recipientWith()));

  proxy.setFault({ kind: 'drop', towards: 'server' });
  assert.equal((await under.bank.sendPayment(order)).kind, 'unknown', 'our bytes left, wherever they went');
  proxy.setFault({ kind: 'drop', towards: 'client' });
  assert.equal((await under.bank.sendPayment(order)).kind, 'unknown');
  proxy.setFault({ kind: 'none' });
  proxy.cut();
  assert.equal((await under.bank.sendPayment(order)).kind, 'accepted');
  assert.equal(await paymentsOf(order), 1);

  const gone = await startTcpProxy({ host: hostname, port: Number(port) });
  await gone.close();
  const closed = createBridgeBank(agent, { url: `http://127.0.0.1:${gone.port}/v0`, apiKey: sandboxBank.apiKey });
  const paidBefore = await paymentsOf(order);
  assert.equal((await closed.sendPayment({ ...order, idempotencyKey: randomUUID() })).kind, 'unreachable');
  assert.equal(gone.bytesToServer(), 0);
  assert.equal(await paymentsOf(order), paidBefore);
});

test('a bank that keeps failing is left alone: the circuit opens, and then not one byte leaves', async () => {
  const under = await setUp('proxy');
  const order = orderOf(under, await register(under, recipientWith()));
  await sandboxBank.control('/faults', { on: 'transfer.create', kind: 'error_before' });
  for (let failure = 0; failure < 5; failure += 1) {
    // What else the bank does well does not make its payments any better.
    await register(under, recipientWith());
    assert.equal(await under.bank.findRate(), 790_000n);
    assert.equal((await under.bank.sendPayment(order)).kind, 'unknown');
  }
  const before = proxy.bytesToServer();
  const outcome = await under.bank.sendPayment(order);
  assert.deepEqual(outcome, { kind: 'unreachable', text: 'circuit open' });
  assert.equal(proxy.bytesToServer(), before);
  await sandboxBank.control('DELETE /faults');
  await eventually('the circuit closes again', async () => (await under.bank.sendPayment(order)).kind === 'accepted');
});

test('our own deadlines do not open the circuit while the bank answers others', async () => {
  const under = await setUp();
  const recipientId = await register(under, recipientWith());
  await sandboxBank.control('/faults', { on: 'transfer.create', kind: 'delay', delay_ms: 7_000, times: 6 });
  const over = new AbortController();
  const late = Promise.all(Array.from({ length: 6 }, async () => under.bank.sendPayment(orderOf(under, recipientId))));
  void late.finally(() => over.abort());
  const others = new Set<string>();
  // Small, so that the wallet lasts however many a fast machine sends.
  const small = { amount: 100n };
  while (!over.signal.aborted) others.add((await under.bank.sendPayment(orderOf(under, recipientId, small))).kind);
  assert((await late).filter(({ kind }) => kind === 'unknown').length >= 5);
  assert(!others.has('unreachable'), [...others].join());
  assert.equal((await under.bank.sendPayment(orderOf(under, recipientId))).kind, 'accepted');
});

test('a payment that the bank forgets is absent, and found when it remembers', async () => {
  const under = await setUp();
  const sent = await under.bank.sendPayment(orderOf(under, await register(under, recipientWith())));
  assert(sent.kind === 'accepted');
  await sandboxBank.control(`/transfers/${sent.payment.id}/forget`);
  assert.deepEqual(await under.bank.findPayment(sent.payment.id), { kind: 'absent' });
  assert.deepEqual(await under.bank.listPayments(under.customerId, null), { payments: [], next: null });
  await sandboxBank.control(`/transfers/${sent.payment.id}/remember`);
  assert.equal((await under.bank.findPayment(sent.payment.id)).kind, 'found');
});

test('a payment that waits for funds can be cancelled, and its money is back', async () => {
  const under = await setUp();
  const sent = await under.bank.sendPayment(orderOf(under, await register(under, recipientWith())));
  assert(sent.kind === 'accepted');
  await sandboxBank.control(`/transfers/${sent.payment.id}/hold`, { state: 'awaiting_funds' });
  const cancelled = await under.bank.cancelPayment(sent.payment.id);
  assert(cancelled.kind === 'cancelled' && cancelled.payment.state === 'cancelled');
});

test('a payment that comes back says how much did', async () => {
  const under = await setUp();
  const sent = await under.bank.sendPayment(orderOf(under, await register(under, recipientWith())));
  assert(sent.kind === 'accepted');
  await sandboxBank.control(`/transfers/${sent.payment.id}/settle`);
  await sandboxBank.control(`/transfers/${sent.payment.id}/return`, {
    reason: 'account_closed',
    refund_micro_usdc: 5_000_000,
  });
  const refunded = await eventually('it is refunded', async () => {
    const found = await under.bank.findPayment(sent.payment.id);
    return found.kind === 'found' && found.payment.state === 'refunded' && found.payment;
  });
  assert.equal(refunded.refunded, 5_000_000n);
});

test('every payment of a customer is listed, page after page', async () => {
  const under = await setUp();
  const recipientId = await register(under, recipientWith());
  const sent = await Promise.all(
    Array.from({ length: 120 }, async () => under.bank.sendPayment(orderOf(under, recipientId, { amount: 100n }))),
  );
  const expected = sent.map((outcome) => (outcome.kind === 'accepted' ? outcome.payment.id : outcome.kind));
  const listed: string[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < 5; page += 1) {
    const answer: Awaited<ReturnType<typeof under.bank.listPayments>> = await under.bank.listPayments(
      under.customerId,
      cursor,
    );
    assert(answer !== null);
    listed.push(...answer.payments.map((payment) => payment.id));
    cursor = answer.next;
    if (cursor === null) break;
  }
  assert.deepEqual(listed.toSorted(), expected.toSorted());
});

test("the bank's webhooks are genuine, and one that comes three times is one event", async () => {
  const receiver = await startReceiver(sandboxBank);
  const under = await setUp();
  await sandboxBank.control('/webhooks', { mode: 'repeat' });
  const order = orderOf(under, await register(under, recipientWith()));
  const sent = await under.bank.sendPayment(order);
  assert(sent.kind === 'accepted');
  await eventually('each state was told three times', async () => receiver.statesOf(sent.payment.id).length === 9);
  await sandboxBank.control('/webhooks', { mode: 'normal' });
  const publicKey = createPublicKey(receiver.publicKey);
  const outcomes = receiver.received
    .map(({ body, signature }) =>
      readWebhook({ header: signature, rawBody: Buffer.from(body), publicKey, now: new Date() }),
    )
    .filter((outcome) => outcome.kind !== 'payment' || outcome.paymentId === sent.payment.id);
  assert.equal(outcomes.length, 9);
  const events = new Set(outcomes.map((outcome) => (outcome.kind === 'payment' ? outcome.eventId : outcome.kind)));
  assert.equal(events.size, 3);
  for (const outcome of outcomes) assert(outcome.kind === 'payment' && outcome.ourReference === order.ourReference);
});

test('one webhook that comes a hundred times at once is one event, and moves nothing at the bank', async () => {
  const receiver = await startReceiver(sandboxBank);
  const under = await setUp();
  const order = orderOf(under, await register(under, recipientWith()));
  const sent = await under.bank.sendPayment(order);
  assert(sent.kind === 'accepted');
  const report = (): { body: string; signature: string }[] =>
    receiver.received.filter(({ body }) => body.includes(order.ourReference) && body.includes('"payment_processed"'));
  const [first] = await eventually('it was told that the payment arrived', async () => report().length > 0 && report());
  assert(first !== undefined);
  const read = (): WebhookOutcome =>
    readWebhook({
      header: first.signature,
      rawBody: Buffer.from(first.body),
      publicKey: createPublicKey(receiver.publicKey),
      now: new Date(),
    });
  const event = read();
  assert(event.kind === 'payment');

  const before = await sandboxBank.record();
  await Promise.all(
    Array.from({ length: 100 }, async () => sandboxBank.control('/webhooks/redeliver', { event_id: event.eventId })),
  );
  await eventually('all of them came', async () => report().length >= 101);
  // Each is a hint to ask the bank, whose answer is the same every time.
  const answers = await Promise.all(report().map(async () => under.bank.findPayment(event.paymentId)));
  for (const answer of answers) assert.deepEqual(answer, answers[0]);
  assert.deepEqual(await sandboxBank.record(), before);
});

test('a partner becomes a customer with a wallet of 10,000.00 USDC, and the same keys find the same ones again', async () => {
  const { bank } = await setUp();
  const idempotencyKeys = { customer: randomUUID(), wallet: randomUUID() };
  const order = { name: 'Tideway & Söhne', email: 'tideway@sandbox.kelpie.example', idempotencyKeys };
  const opened = await bank.openCustomer(order);
  assert(opened.kind === 'opened', inspect(opened));
  const again = await Promise.all(Array.from({ length: 5 }, async () => bank.openCustomer(order)));
  for (const outcome of again) assert.deepEqual(outcome, opened);
  const under = { bank, customerId: opened.customerId, walletId: opened.walletId };
  const sent = await bank.sendPayment(orderOf(under, await register(under, recipientWith())));
  assert.equal(sent.kind, 'accepted', inspect(sent));
});

test('a customer that was not opened in so many words is opened by a second try with the same keys', async () => {
  const { bank } = await setUp();
  const order = { name: 'Tideway', email: 'tideway@sandbox.kelpie.example' };
  for (const fault of [
    { kind: 'error_before', status: 503 },
    { kind: 'html' },
    { kind: 'truncated' },
    { kind: 'empty' },
  ]) {
    await sandboxBank.control('/faults', { on: 'any', times: 1, ...fault });
    const idempotencyKeys = { customer: randomUUID(), wallet: randomUUID() };
    assert.equal((await bank.openCustomer({ ...order, idempotencyKeys })).kind, 'failed', fault.kind);
    await sandboxBank.control('DELETE /faults');
    assert.equal((await bank.openCustomer({ ...order, idempotencyKeys })).kind, 'opened', fault.kind);
  }
});

test('USDC moves between wallets once, however often it is ordered under one key', async () => {
  const { bank, ...from } = await setUp();
  const { bank: _, ...to } = await setUp();
  const order = { from, to, amount: 12_345_678n, ourReference: `float-${randomUUID()}`, idempotencyKey: randomUUID() };
  const lost = await withFault({ kind: 'drop_reply' }, async () => bank.transferBetweenWallets(order));
  assert.equal(lost.kind, 'unknown', inspect(lost));
  const sent = await bank.transferBetweenWallets(order);
  assert(sent.kind === 'accepted', inspect(sent));
  assert.deepEqual([sent.payment.ourReference, sent.payment.taken], [order.ourReference, order.amount]);
  await eventually('it arrives', async () => {
    const found = await bank.findPayment(sent.payment.id);
    return found.kind === 'found' && found.payment.state === 'arrived';
  });
  assert.deepEqual(
    [await bank.readBalance(from), await bank.readBalance(to)],
    [10_000_000_000n - order.amount, 10_000_000_000n + order.amount],
  );
  const more = { ...order, amount: 10_000_000_000n, idempotencyKey: randomUUID() };
  const refused = await bank.transferBetweenWallets(more);
  assert(refused.kind === 'rejected' && refused.reason === 'insufficient_funds', inspect(refused));
});
