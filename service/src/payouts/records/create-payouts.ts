import { hash } from 'node:crypto';
import {
  batchCall,
  batchValues,
  bigint,
  bytea,
  enumOf,
  integer,
  text,
  timestamptz,
  uuid,
  type Columns,
} from '../../platform/database/batch-call.ts';
import type { PaymentBlock } from '../../partners/index.ts';
import { bigOrNull } from '../../platform/database/big-or-null.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import type { Pence } from '../../money/amounts.ts';
import { firstIdAt } from '../../platform/ids.ts';
import { endOfDay } from '../../platform/london-day.ts';
import type { GivenCode } from '../model/order.ts';
import type { Payout } from '../model/payout.ts';
import { entryColumns, firstColumns, placeEntries, type NewTransfer } from './entries.ts';
import type { Retry } from './resolve-order.ts';

/** A payout as it is first written, with the transfers and the answer that are known by then. */
export interface NewPayout {
  payout: Omit<
    Payout,
    | 'bankRound'
    | 'firstTriedAt'
    | 'revision'
    | 'attempts'
    | 'bankRefunded'
    | 'completedAt'
    // The database alone can say it.
    | 'isDuplicateSuspected'
  >;
  /** The API key that pays, or the session. */
  callerId: string;
  /** The code by which a person who pays with real money confirms it; otherwise null. */
  confirmation: GivenCode | null;
  /** The attempt whose key it takes over; null for a new order. */
  retry: Retry | null;
  fingerprint: Buffer;
  transfers: readonly NewTransfer[];
  /** Null where no further action is scheduled. */
  open: { leasedUntil: Date; dueAt: Date } | null;
  /** Where this commit fixes the answer. */
  activity: { id: string; status: number } | null;
}

/** The daily limit that a payout would pass, and what was left of it at its turn. Of several, the one with the least left. */
export interface ExceededLimit {
  limit: 'daily' | 'key' | 'new_payee';
  limitPence: Pence;
  leftPence: Pence;
  /** When the day of the payout ends in London. */
  resetsAt: Date;
}

/** What only the database can say of a new payout. */
type LearnedAtCreation = 'bankRound' | 'firstTriedAt' | 'bankRecipientEncrypted' | 'isDuplicateSuspected';

export type CreateOutcome =
  | ({ kind: 'created' } & Pick<Payout, LearnedAtCreation>)
  /** The key has been used before: `resolveOrder` says how. */
  | { kind: 'taken' }
  | { kind: 'unauthorized' }
  /** A second admin has to approve it, or did not in time. Nothing was written, and its code was not judged. */
  | { kind: 'approval_required' }
  /** The code does not confirm this payout: it is wrong, used, expired, or for another payout. */
  | { kind: 'not_confirmed' }
  | { kind: 'insufficient_funds'; available: bigint }
  | { kind: 'limit_exceeded'; exceeded: ExceededLimit }
  | { kind: PaymentBlock };

function bankRoundOf({ retry }: NewPayout): number {
  return retry?.bankRound ?? 1;
}

function firstTriedAt({ retry, payout }: NewPayout): Date {
  return retry?.roundBeganAt ?? payout.updatedAt;
}

/** Equal payouts further apart are usual, as wages are. */
const duplicateWindowMs = 24 * 60 * 60 * 1_000;

type Equal = Pick<NewPayout['payout'], 'partnerId' | 'environment' | 'accountIndex' | 'amount'>;

/** What makes payouts equal, as one text; null where the account is not known. */
function equalityOf({ partnerId, environment, accountIndex, amount }: Equal): string | null {
  return accountIndex === null ? null : `${partnerId} ${environment} ${accountIndex.toString('hex')} ${amount}`;
}

/** Equal payouts have it in common; others may, so the database compares what it stands for. */
export function hashOfEqual(payout: Equal): bigint | null {
  const equality = equalityOf(payout);
  return equality === null ? null : hash('sha256', equality, 'buffer').readBigInt64BE(0);
}

const payoutColumns = {
  partner_ids: uuid(({ payout }) => payout.partnerId),
  environments: enumOf<Payout['environment']>('environment')(({ payout }) => payout.environment),
  api_key_ids: uuid(({ callerId, payout }) => (payout.createdVia === 'api' ? callerId : null)),
  session_ids: uuid(({ callerId, payout }) => (payout.createdVia === 'api' ? null : callerId)),
  payout_ids: uuid(({ payout }) => payout.id),
  order_ids: uuid(({ payout }) => payout.orderId),
  keys: text(({ payout }) => payout.idempotencyKey),
  fingerprints: bytea(({ fingerprint }) => fingerprint),
  instants: timestamptz(({ payout }) => payout.updatedAt),
  bank_rounds: integer(bankRoundOf),
  first_tried_ats: timestamptz(firstTriedAt),
  rails: enumOf<Payout['rail']>('rail')(({ payout }) => payout.rail),
  first_states: enumOf<Payout['state']>('payout_state')(({ payout }) => payout.state),
  references_given: text(({ payout }) => payout.reference),
  bank_references: text(({ payout }) => payout.bankReference),
  amounts_pence: bigint(({ payout }) => payout.amount),
  fees_pence: bigint(({ payout }) => payout.fee),
  provider_fees_pence: bigint(({ payout }) => payout.providerFee),
  wallet_debits_micro_usdc: bigint(({ payout }) => payout.walletDebit),
  gbp_per_usd_millionths: bigint(({ payout }) => payout.rate),
  price_plans: text(({ payout }) => payout.pricePlan),
  recipient_names: text(({ payout }) => payout.recipientName),
  accounts_last4: text(({ payout }) => payout.accountLast4),
  recipients_encrypted: bytea(({ payout }) => payout.recipientEncrypted),
  account_indexes: bytea(({ payout }) => payout.accountIndex),
  bank_recipients_encrypted: bytea(({ payout }) => payout.bankRecipientEncrypted),
  created_vias: text(({ payout }) => payout.createdVia),
  created_bys: text(({ payout }) => payout.createdBy),
  bank_payment_ids: text(({ payout }) => payout.bankPaymentId),
  bank_states: text(({ payout }) => payout.bankState),
  bank_debited_micro_usdc: bigint(({ payout }) => payout.bankDebited),
  failure_codes: text(({ payout }) => payout.failureCode),
  failure_reasons: text(({ payout }) => payout.failureReason),
  leased_untils: timestamptz(({ open }) => open?.leasedUntil),
  due_ats: timestamptz(({ open }) => open?.dueAt),
  activity_ids: uuid(({ activity }) => activity?.id),
  activity_statuses: integer(({ activity }) => activity?.status),
  equal_hashes: bigint(({ payout }) => hashOfEqual(payout)),
  equal_since_ids: uuid(({ payout }) => firstIdAt(new Date(payout.updatedAt.getTime() - duplicateWindowMs))),
  transfer_lists: text(({ transfers }) => `{${transfers.map(({ id }) => id).join(',')}}`),
} satisfies Columns<NewPayout>;

const repeatColumns = {
  repeat_places: integer(({ place }) => place),
  repeated_places: integer(({ earlier }) => earlier),
} satisfies Columns<{ place: number; earlier: number }>;

/** The payouts that are equal to one before them in the batch, each with the last such one. */
function findRepeats(batch: readonly NewPayout[]): { place: number; earlier: number }[] {
  const places = new Map<string | null, number>();
  return batch.flatMap(({ payout }, at) => {
    const equality = equalityOf(payout);
    const earlier = places.get(equality);
    places.set(equality, at + 1);
    return equality === null || earlier === undefined ? [] : [{ place: at + 1, earlier }];
  });
}

const retryColumns = {
  retry_places: integer(({ place }) => place),
  retried_payouts: uuid(({ retry }) => retry.attemptPayoutId),
  retried_revisions: integer(({ retry }) => retry.attemptRevision),
} satisfies Columns<{ place: number; retry: Retry }>;

const confirmationColumns = {
  confirmation_places: integer(({ place }) => place),
  confirmation_orders: bytea(({ code }) => code.orderHmac),
  confirmation_emails: bytea(({ code }) => code.emailHmac),
  confirmation_codes: bytea(({ code }) => code.codeHmac),
} satisfies Columns<{ place: number; code: GivenCode }>;

export const createPayoutsCall = batchCall(
  'create_payouts',
  payoutColumns,
  repeatColumns,
  retryColumns,
  confirmationColumns,
  entryColumns,
  firstColumns,
);

interface OutcomeRow {
  place: string;
  outcome: CreateOutcome['kind'];
  available_micro_usdc: string | null;
  exceeded_limit: ExceededLimit['limit'] | null;
  limit_pence: string | null;
  left_pence: string | null;
  bank_recipient_encrypted: Buffer | null;
  duplicate_suspected: boolean;
}

function exceededFrom({ payout }: NewPayout, row: OutcomeRow): ExceededLimit {
  const [limitPence, leftPence] = [bigOrNull(row.limit_pence), bigOrNull(row.left_pence)];
  if (row.exceeded_limit === null || limitPence === null || leftPence === null)
    throw new Error('the database does not say which limit is passed');
  return { limit: row.exceeded_limit, limitPence, leftPence, resetsAt: endOfDay(payout.updatedAt) };
}

function outcomeFrom(made: NewPayout, row: OutcomeRow | undefined): CreateOutcome {
  if (row === undefined) throw new Error('the database returned no row');
  const { outcome: kind } = row;
  if (kind === 'created')
    return {
      kind,
      bankRound: bankRoundOf(made),
      firstTriedAt: firstTriedAt(made),
      bankRecipientEncrypted: row.bank_recipient_encrypted,
      isDuplicateSuspected: row.duplicate_suspected,
    };
  if (kind === 'insufficient_funds') return { kind, available: BigInt(row.available_micro_usdc ?? 0) };
  if (kind === 'limit_exceeded') return { kind, exceeded: exceededFrom(made, row) };
  return { kind };
}

/** The first commits of payouts, in one round trip. One payout is a batch of one. */
export async function createPayouts(calls: SingleCalls, batch: readonly NewPayout[]): Promise<CreateOutcome[]> {
  const retries = batch.flatMap(({ retry }, at) => (retry === null ? [] : [{ place: at + 1, retry }]));
  const codes = batch.flatMap(({ confirmation: code }, at) => (code === null ? [] : [{ place: at + 1, code }]));
  const entries = placeEntries(batch.map(({ transfers }) => transfers));
  const rows = await calls.call<OutcomeRow>(createPayoutsCall, [
    ...batchValues(payoutColumns, batch),
    ...batchValues(repeatColumns, findRepeats(batch)),
    ...batchValues(retryColumns, retries),
    ...batchValues(confirmationColumns, codes),
    ...batchValues(entryColumns, entries),
    ...batchValues(firstColumns, entries),
  ]);
  const rowAt = new Map(rows.map((row) => [Number(row.place), row]));
  return batch.map((made, at) => outcomeFrom(made, rowAt.get(at + 1)));
}
