import type { MicroUsdc, Pence } from '../../money/amounts.ts';
import type { GbpPerUsd } from '../../money/rates.ts';
import { raisedBy, type SingleCalls } from '../../platform/database/single-call.ts';
import { sqlStates } from '../../platform/database/sql-states.ts';
import type { PartnerContext } from '../../platform/database/transaction.ts';
import type { Payout, PayoutState } from '../model/payout.ts';
import { payoutCalls } from './calls.ts';
import { placeEntries, type NewTransfer } from './entries.ts';

/** What only the partner knows of a payout that was rebuilt from the bank's record. */
export interface AdoptedOrder {
  idempotencyKey: string;
  fingerprint: Buffer;
  reference: string | null;
  bankReference: string;
  recipientName: string;
  accountLast4: string;
  recipientEncrypted: Buffer;
  accountIndex: Buffer;
  by: string;
  at: Date;
}

/** Says whether this order is the payout's now. Not where another was quicker. */
export async function adoptRecoveredPayout(calls: SingleCalls, payout: Payout, order: AdoptedOrder): Promise<boolean> {
  const [row] = await calls.call<{ adopt_recovered_payout: boolean }>(payoutCalls.adoptRecovered, [
    payout.partnerId,
    payout.environment,
    payout.orderId,
    payout.id,
    order.idempotencyKey,
    order.fingerprint,
    order.reference,
    order.bankReference,
    order.recipientName,
    order.accountLast4,
    order.recipientEncrypted,
    order.accountIndex,
    order.by,
    order.at,
  ]);
  return row?.adopt_recovered_payout === true;
}

/** What the database knows of an order. */
export interface KnownOrder {
  orderId: string;
  payoutId: string;
  state: PayoutState;
  bankPaymentId: string | null;
  hasBody: boolean;
}

interface OrderRow {
  order_id: string;
  payout_id: string;
  state: PayoutState;
  bank_payment_id: string | null;
  has_body: boolean;
}

export async function findOrders(
  calls: SingleCalls,
  of: PartnerContext,
  orderIds: readonly string[],
): Promise<Map<string, KnownOrder>> {
  const rows = await calls.call<OrderRow>(payoutCalls.findOrders, [of.partnerId, of.environment, orderIds]);
  return new Map(
    rows.map((row) => [
      row.order_id,
      {
        orderId: row.order_id,
        payoutId: row.payout_id,
        state: row.state,
        bankPaymentId: row.bank_payment_id,
        hasBody: row.has_body,
      },
    ]),
  );
}

/** The orders of those payments that an operator has booked by a correction. */
export async function findCorrectedOrders(
  calls: SingleCalls,
  of: PartnerContext,
  payments: readonly { id: string; ourReference: string | null }[],
): Promise<Set<string>> {
  const rows = await calls.call<{ find_corrected_orders: string }>(payoutCalls.findCorrectedOrders, [
    of.partnerId,
    of.environment,
    payments.map(({ id }) => id),
    payments.map(({ ourReference }) => ourReference),
  ]);
  return new Set(rows.map((row) => row.find_corrected_orders));
}

/** A payout whose outcome is not known, and when its order was first tried; null where that is not known either. */
export interface UnsettledPayout {
  payoutId: string;
  claimedAt: Date | null;
}

const mostUnsettled = 10_000;

export async function listUnsettledPayouts(
  calls: SingleCalls,
  of: PartnerContext,
  createdBefore: Date,
): Promise<UnsettledPayout[]> {
  const values = [of.partnerId, of.environment, createdBefore, mostUnsettled];
  const rows = await calls.call<{ payout_id: string; claimed_at: Date | null }>(payoutCalls.listUnsettled, values);
  return rows.map((row) => ({ payoutId: row.payout_id, claimedAt: row.claimed_at }));
}

/** A payout as it is rebuilt from the bank's record. */
export interface RebuiltPayout {
  id: string;
  orderId: string;
  createdAt: Date;
  bankReference: string;
  amount: Pence;
  fee: Pence;
  providerFee: Pence;
  walletDebit: MicroUsdc;
  rate: GbpPerUsd;
  recipientName: string | null;
  accountLast4: string | null;
  bankPaymentId: string;
  bankDebited: MicroUsdc | null;
  transfers: readonly NewTransfer[];
}

/** What we know of its order besides. */
export interface AttemptOf {
  /** The attempt whose key it takes over; null where we know nothing of the order. */
  attemptId: string | null;
  /** Whether the attempt had the same body, and its recipient, encrypted for the new payout. */
  hasBody: boolean;
  recipientEncrypted: Buffer | null;
}

interface ImportOf extends PartnerContext, AttemptOf {
  rail: Payout['rail'];
  pricePlan: string;
  at: Date;
  by: string;
}

export type ImportOutcome =
  | 'imported'
  /** The order has a payout by now. */
  | 'known'
  /** An operator has booked this payment already. */
  | 'corrected'
  | 'insufficient_funds';

/** One commit. */
export async function importPayout(calls: SingleCalls, of: ImportOf, payout: RebuiltPayout): Promise<ImportOutcome> {
  const entries = placeEntries([payout.transfers]);
  const values = [
    of.partnerId,
    of.environment,
    of.rail,
    payout.id,
    payout.orderId,
    of.attemptId,
    of.hasBody,
    payout.createdAt,
    of.at,
    of.by,
    payout.bankReference,
    payout.amount.toString(),
    payout.fee.toString(),
    payout.providerFee.toString(),
    payout.walletDebit.toString(),
    payout.rate.toString(),
    of.pricePlan,
    payout.recipientName,
    payout.accountLast4,
    of.recipientEncrypted,
    payout.bankPaymentId,
    payout.bankDebited?.toString() ?? null,
    payout.transfers.map(({ id }) => id),
    entries.map(({ isFirst }) => isFirst),
    entries.map(({ transfer }) => transfer.id),
    entries.map(({ number }) => number),
    entries.map(({ line }) => line.account),
    entries.map(({ line }) => line.amount.toString()),
    entries.map(({ line, transfer }) => line.reason ?? transfer.reason),
  ];
  try {
    const [row] = await calls.call<{ import_payout: ImportOutcome }>(payoutCalls.importPayout, values);
    if (row === undefined) throw new Error('the database returned no row');
    return row.import_payout;
  } catch (error) {
    if (raisedBy(error)?.code === sqlStates.importNotCovered) return 'insufficient_funds';
    throw error;
  }
}
