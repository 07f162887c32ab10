import { hash } from 'node:crypto';
import { payoutCost, standardPayoutPrices } from '../../money/fees.ts';
import type { Clock } from '../../platform/clock.ts';
import { idFor, instantOf } from '../../platform/ids.ts';
import type { Bank, Payment } from '../port/payments.ts';

/** The sandbox's rate, fixed: 10,000.00 USDC are 7,900.00 pounds. */
const rate = 790_000n;
const arrivesAfterMs = 3_000;

/** The recipient's id carries the one thing that matters later, whether its account is one that always fails. */
const goodRecipient = 'simulated-recipient';
const failingRecipient = 'simulated-recipient-0000';

function isOwnId(id: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id);
}

function paymentAt(
  id: string,
  clock: Clock,
  more: Pick<Payment, 'ourReference' | 'pays' | 'recipientId' | 'taken'>,
): Payment {
  const arrived = clock.now().getTime() - instantOf(id).getTime() >= arrivesAfterMs;
  return {
    id,
    ...more,
    state: arrived ? 'arrived' : 'accepted',
    bankState: arrived ? 'simulated_arrived' : 'simulated',
    refunded: null,
    failure: null,
    networkFee: null,
    returnFee: null,
  };
}

/**
 * The rail of a sandbox account that no bank is connected to yet. It moves nothing and keeps nothing: a payment's id holds
 * the instant it was ordered and a digest of its key, so that the same order is the same payment on every process.
 */
export function createSimulatedBank(clock: Clock): Bank {
  return {
    registerRecipient: async ({ recipient }) => ({
      kind: 'registered',
      recipientId: recipient.accountNumber.endsWith('0000') ? failingRecipient : goodRecipient,
    }),
    async sendPayment(order) {
      if (order.recipientId === failingRecipient)
        return { kind: 'rejected', reason: 'account_details', isKept: true, text: 'account ends in 0000' };
      const digest = hash('sha256', order.idempotencyKey, 'buffer');
      const id = idFor(order.orderedAt, digest);
      const taken = payoutCost(order.amount, rate, standardPayoutPrices).walletDebit;
      const { ourReference, recipientId, amount: pays } = order;
      return { kind: 'accepted', payment: paymentAt(id, clock, { ourReference, pays, recipientId, taken }) };
    },
    async findPayment(paymentId) {
      if (!isOwnId(paymentId) || instantOf(paymentId) > clock.now()) return { kind: 'absent' };
      // What was ordered and taken is known from the order; asking later only tells how far it is.
      const unsaid = { ourReference: null, pays: null, recipientId: null, taken: null };
      return { kind: 'found', payment: paymentAt(paymentId, clock, unsaid) };
    },
    cancelPayment: async () => ({ kind: 'too_late' }),
    findRate: async () => rate,
  };
}
