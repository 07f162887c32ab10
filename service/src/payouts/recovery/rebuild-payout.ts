import type { PaymentRecord, RecipientRecord } from '../../banks/index.ts';
import { ledgerEvents } from '../../ledger/index.ts';
import type { PayoutCost } from '../../money/fees.ts';
import { rateOfDebit } from '../../money/rates.ts';
import type { Pence } from '../../money/amounts.ts';
import { divideDown } from '../../money/rounding.ts';
import type { Clock } from '../../platform/clock.ts';
import { newId } from '../../platform/ids.ts';
import { fallbackBankReference } from '../model/order.ts';
import type { RebuiltPayout } from '../records/recovered-store.ts';

export type RebuiltCost = Omit<PayoutCost, 'invoiceShare'> & { amount: Pence };

/** What a payout is rebuilt from. */
interface Rebuilding {
  payment: PaymentRecord;
  cost: RebuiltCost;
  recipient: RecipientRecord | null;
}

/**
 * The payout that a payment was made for, as far as the bank's record tells. The wallet sends what the bank took: what we
 * had reckoned with is lost, and so is the rate, which follows from the amounts. The instant in its id is the bank's.
 */
export function rebuildPayout(clock: Clock, { payment, cost, recipient }: Rebuilding): RebuiltPayout {
  const { amount, providerFee, walletDebit } = cost;
  const { taken, ourReference } = payment;
  const orderId = ourReference ?? '';
  const principal = divideDown(walletDebit * amount, amount + providerFee);
  const createdAt = payment.createdAt ?? clock.now();
  const transfer = (reason: string, lines: ReturnType<typeof ledgerEvents.taken>) => ({
    id: newId(clock),
    reason,
    lines,
  });
  return {
    id: newId({ now: () => createdAt }),
    orderId,
    createdAt,
    bankReference: payment.bankReference?.slice(0, 18) || fallbackBankReference(orderId),
    ...cost,
    rate: rateOfDebit(amount + providerFee, walletDebit),
    recipientName: recipient?.name ?? null,
    accountLast4: recipient?.accountLast4 ?? null,
    bankPaymentId: payment.id,
    bankDebited: taken,
    transfers: [
      transfer('payout.hold', ledgerEvents.hold({ principal, providerFee: walletDebit - principal })),
      ...(taken === null ? [] : [transfer('payout.bank_accepted', ledgerEvents.taken({ byBank: taken }))]),
    ],
  };
}
