import { setTimeout as wait } from 'node:timers/promises';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import { createTtlCache } from '../../platform/ttl-cache.ts';
import type { Bank, PaymentOrder, SendOutcome } from '../port/payments.ts';
import { countBankAnswers, takeBankAnswer, type BankAnswer } from './store.ts';

/**
 * How long a process remembers that a partner asked for nothing. Most never do, and are not asked for at every payment. Who
 * sets an answer waits as long, so that it holds in every process once it is answered.
 */
export const answersKeptMs = 500;
const mostRemembered = 10_000;

/** Within the deadline of a payment order, which the bank has all the while. */
const slowMs = 4_000;

const why = 'asked for by the partner';

type Send = (order: PaymentOrder) => Promise<SendOutcome>;

const spoiled: Readonly<Record<BankAnswer, (send: Send, order: PaymentOrder) => Promise<SendOutcome>>> = {
  async lost(send, order) {
    await send(order);
    return { kind: 'unknown', text: why };
  },
  async slow(send, order) {
    const [outcome] = await Promise.all([send(order), wait(slowMs)]);
    return outcome;
  },
  refused: async () => ({ kind: 'rejected', reason: 'other', isKept: true, text: why }),
  unavailable: async () => ({ kind: 'unreachable', text: why }),
};

/**
 * The same bank, but a partner's next payment orders are answered as it asked. Outside the circuit and the limit of the
 * bank's client: no other partner notices, and what is measured of the bank stays true. For sandbox only.
 */
export function answerAsAsked<AnyBank extends Bank>(bank: AnyBank, calls: SingleCalls): AnyBank {
  const left = createTtlCache<number>({ keepMs: answersKeptMs, most: mostRemembered });
  const send: Send = async (order) => bank.sendPayment(order);
  return {
    ...bank,
    async sendPayment(order: PaymentOrder): Promise<SendOutcome> {
      const { partnerId } = order;
      if ((await left.get(partnerId, async () => countBankAnswers(calls, partnerId))) === 0) return send(order);
      const answer = await takeBankAnswer(calls, partnerId);
      return answer === null ? send(order) : { ...(await spoiled[answer](send, order)), isAskedFor: true };
    },
  };
}
