import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { inspect } from 'node:util';
import type { Bank, PaymentOrder, Recipient } from '../../src/banks/index.ts';
import { payoutCost, standardPayoutPrices } from '../../src/money/fees.ts';
import { eventually } from '@kelpie/dev/eventually.ts';

export interface BankUnderTest {
  bank: Bank;
  /** A partner at the bank, with a wallet that holds 10,000.00 USDC. */
  customerId: string;
  walletId: string;
}

export function recipientWith(change: Partial<Recipient> = {}): Recipient {
  return {
    type: 'individual',
    firstName: 'Ada',
    lastName: 'Byron',
    bankName: 'Example Bank',
    sortCode: '040004',
    accountNumber: '12345678',
    address: { line1: '1 High Street', line2: null, city: 'Leeds', region: 'Leeds', postalCode: 'LS1 1AA' },
    ...change,
  };
}

export async function register({ bank, customerId }: BankUnderTest, recipient: Recipient): Promise<string> {
  const outcome = await bank.registerRecipient({ customerId, recipient, idempotencyKey: randomUUID() });
  assert(outcome.kind === 'registered', inspect(outcome));
  return outcome.recipientId;
}

export function orderOf(
  { customerId, walletId }: BankUnderTest,
  recipientId: string,
  change: Partial<PaymentOrder> = {},
): PaymentOrder {
  return {
    partnerId: randomUUID(),
    customerId,
    walletId,
    recipientId,
    amount: 1_234n,
    bankReference: 'Order 42',
    ourReference: randomUUID(),
    idempotencyKey: randomUUID(),
    orderedAt: new Date(),
    ...change,
  };
}

/** What an answer about this order may say of it. */
function asOrdered({ ourReference, amount, recipientId }: PaymentOrder) {
  return { ourReference, pays: amount, recipientId };
}

/** What every adapter must do, whatever its bank: run by each of them. */
export function testBankContract(name: string, setUp: () => Promise<BankUnderTest>): void {
  let made: Promise<BankUnderTest> | undefined;
  const bankUnderTest = async (): Promise<BankUnderTest> => (made ??= setUp());

  test(`${name}: a payment is accepted at what it costs, is found again, and arrives`, async () => {
    const under = await bankUnderTest();
    const order = orderOf(under, await register(under, recipientWith()));
    const sent = await under.bank.sendPayment(order);
    assert(sent.kind === 'accepted', inspect(sent));
    const { ourReference, pays, recipientId } = sent.payment;
    assert.deepEqual({ ourReference, pays, recipientId }, asOrdered(order));
    assert.equal(sent.payment.taken, payoutCost(order.amount, 790_000n, standardPayoutPrices).walletDebit);
    assert(['accepted', 'under_way'].includes(sent.payment.state));
    await eventually('it arrives', async () => {
      const found = await under.bank.findPayment(sent.payment.id);
      assert(found.kind === 'found' && found.payment.id === sent.payment.id);
      // What it does not say again is null, and never something else.
      const said = found.payment;
      const unsaid = { ourReference: said.ourReference ?? ourReference, pays: said.pays ?? pays };
      assert.deepEqual({ ...unsaid, recipientId: said.recipientId ?? recipientId }, asOrdered(order));
      return found.payment.state === 'arrived';
    });
  });

  test(`${name}: the same order again is the same payment`, async () => {
    const under = await bankUnderTest();
    const order = orderOf(under, await register(under, recipientWith()));
    const sent = await Promise.all(Array.from({ length: 10 }, async () => under.bank.sendPayment(order)));
    const ids = sent.map((outcome) => (outcome.kind === 'accepted' ? outcome.payment.id : outcome.kind));
    assert.equal(new Set(ids).size, 1, ids.join(' '));
  });

  test(`${name}: the same key for another amount is never a second payment`, async () => {
    const under = await bankUnderTest();
    const order = orderOf(under, await register(under, recipientWith()));
    const first = await under.bank.sendPayment(order);
    const second = await under.bank.sendPayment({ ...order, amount: order.amount + 1n });
    assert(first.kind === 'accepted');
    assert(
      second.kind === 'accepted' ? second.payment.id === first.payment.id : second.kind === 'unknown',
      inspect(second),
    );
  });

  test(`${name}: a payment that was never sent is absent`, async () => {
    const { bank } = await bankUnderTest();
    assert.deepEqual(await bank.findPayment(randomUUID()), { kind: 'absent' });
  });

  test(`${name}: two orders that differ in their key alone are two payments`, async () => {
    const under = await bankUnderTest();
    const order = orderOf(under, await register(under, recipientWith()));
    const first = await under.bank.sendPayment(order);
    const second = await under.bank.sendPayment({ ...order, idempotencyKey: randomUUID() });
    assert(first.kind === 'accepted' && second.kind === 'accepted');
    assert.notEqual(first.payment.id, second.payment.id);
  });

  test(`${name}: a recipient that is known already is the same recipient`, async () => {
    const under = await bankUnderTest();
    assert.equal(await register(under, recipientWith()), await register(under, recipientWith()));
  });

  test(`${name}: an account ending 0000 is rejected for its details, and nothing is paid`, async () => {
    const under = await bankUnderTest();
    const recipientId = await register(under, recipientWith({ accountNumber: '12340000' }));
    const sent = await under.bank.sendPayment(orderOf(under, recipientId));
    assert(sent.kind === 'rejected' && sent.reason === 'account_details', inspect(sent));
  });

  test(`${name}: a payment that is on its way can not be cancelled any more`, async () => {
    const under = await bankUnderTest();
    const sent = await under.bank.sendPayment(orderOf(under, await register(under, recipientWith())));
    assert(sent.kind === 'accepted');
    assert.deepEqual(await under.bank.cancelPayment(sent.payment.id), { kind: 'too_late' });
  });

  test(`${name}: the rate is that of the sandbox`, async () => {
    assert.equal(await (await bankUnderTest()).bank.findRate(), 790_000n);
  });
}
