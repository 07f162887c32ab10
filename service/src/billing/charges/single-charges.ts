import { ledgerEvents, postTransfers } from '../../ledger/index.ts';
import type { Pence } from '../../money/amounts.ts';
import { exceptionChargeInPounds } from '../../money/fees.ts';
import type { Transaction } from '../../platform/database/transaction.ts';
import { newId } from '../../platform/ids.ts';
import { monthOf, monthStart, type Month } from '../../platform/london-month.ts';
import { enterAgain, enterLive, getPricesAt, recordCharge, type SingleCharge } from './store.ts';

// What is charged besides payouts. Each is noted by what makes it that one, in the commit that posts it: who comes again, or
// at the same moment, charges nothing.

interface NewCharge extends Omit<SingleCharge, 'transferId'> {
  amount: Pence;
  /** The payout that it is about, where it is about one. */
  payoutId?: string;
}

/** In a transaction of the partner's live environment. */
async function charge(tx: Transaction, { amount, payoutId, ...single }: NewCharge): Promise<boolean> {
  const id = newId({ now: () => single.at });
  if (!(await recordCharge(tx, { ...single, transferId: id }))) return false;
  const lines = ledgerEvents.charged(single.kind, amount);
  if (lines.length === 0) return true;
  const { partnerId, kind } = single;
  const transfer = {
    id,
    partnerId,
    environment: 'live',
    reason: `charge.${kind}`,
    causeId: payoutId ?? id,
    lines,
  } as const;
  await postTransfers(tx, [transfer]);
  return true;
}

/**
 * The account for a month, by the plan that the partner had when the month began, or when it was approved. It is charged when
 * the month begins; what is missing is charged before the month's books are closed.
 */
export async function chargeMonth(
  tx: Transaction,
  partnerId: string,
  { month, notBefore, by }: { month: Month; notBefore: Date; by: string },
): Promise<void> {
  const begins = monthStart(month);
  const at = begins > notBefore ? begins : notBefore;
  const { monthly: amount } = await getPricesAt(tx, at);
  await charge(tx, { partnerId, kind: 'monthly_account', occasion: month, at, by, amount });
}

/** A business was verified, and its live environment opened: the verification, once, and the account for this month. */
export async function chargeApproval(tx: Transaction, partnerId: string, at: Date): Promise<void> {
  const before = await enterLive(tx, partnerId);
  const by = 'verification';
  const { verification: amount } = await getPricesAt(tx, at);
  await charge(tx, { partnerId, kind: 'business_verification', occasion: 'approval', at, by, amount });
  await chargeMonth(tx, partnerId, { month: monthOf(at), notBefore: at, by });
  await enterAgain(tx, partnerId, before);
}

/**
 * What the bank billed us for a payout by its own reference: a recall, a trace, or a return whose cost its record did not
 * show. Says what was charged, or null where this one was before.
 */
export async function chargeException(
  tx: Transaction,
  billed: { partnerId: string; payoutId: string; bankReference: string; cost: Pence; at: Date; by: string },
): Promise<Pence | null> {
  const { partnerId, payoutId, bankReference: occasion, cost, at, by } = billed;
  const { exceptionBasisPoints } = await getPricesAt(tx, at);
  const amount = exceptionChargeInPounds(cost, { networkBasisPoints: 0n, exceptionBasisPoints });
  const isNew = await charge(tx, { partnerId, kind: 'bank_exceptions', occasion, at, by, amount, payoutId });
  return isNew ? amount : null;
}
