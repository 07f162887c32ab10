import assert from 'node:assert/strict';
import { test } from 'node:test';
import { orderOf, register, recipientWith, testBankContract } from '../../../test/banks/bank-contract.ts';
import { systemClock } from '../../platform/clock.ts';
import { createSimulatedBank } from '../index.ts';

const customer = { customerId: 'nobody', walletId: 'nothing' };

testBankContract('simulated', async () => ({ bank: createSimulatedBank(systemClock), ...customer }));

test('simulated: a payment is the same on every process, and arrives three seconds after it was ordered', async () => {
  const orderedAt = new Date('2026-11-15T12:00:00Z');
  const atMs = async (afterMs: number) => {
    const bank = createSimulatedBank({ now: () => new Date(orderedAt.getTime() + afterMs) });
    const under = { bank, ...customer };
    const order = orderOf(under, await register(under, recipientWith()), {
      orderedAt,
      idempotencyKey: 'k-12345678',
      ourReference: 'p1',
    });
    const sent = await bank.sendPayment(order);
    assert(sent.kind === 'accepted');
    return sent.payment;
  };
  const [first, later] = [await atMs(2_999), await atMs(3_000)];
  assert.equal(first.id, later.id);
  assert.deepEqual([first.state, later.state], ['accepted', 'arrived']);
});
