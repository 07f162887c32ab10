import type { PaymentFailure } from '../../banks/index.ts';
import type { Pence } from '../../money/amounts.ts';
import { arrayLiteral } from '../../platform/database/array-literal.ts';
import { bigOrNull } from '../../platform/database/big-or-null.ts';
import { readInstant } from '../../platform/database/instants.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import type { PartnerContext, Transaction } from '../../platform/database/transaction.ts';
import type { Archive, ArchivedLine } from '../../archive/index.ts';
import type { Payout, PayoutState, ShownPayout } from '../model/payout.ts';
import { findHereOrArchived } from './archived-payouts.ts';
import { payoutCalls } from './calls.ts';
import type { Asked, KnownPayouts } from './known-payouts.ts';

interface PayoutRow {
  id: string;
  partner_id: string;
  environment: Payout['environment'];
  rail: Payout['rail'];
  state: PayoutState;
  revision: number;
  attempts: number;
  idempotency_key: string | null;
  order_id: string;
  bank_round: number;
  first_tried_at: Date;
  reference: string | null;
  bank_reference: string;
  amount_pence: string;
  fee_pence: string;
  provider_fee_pence: string;
  wallet_debit_micro_usdc: string;
  gbp_per_usd_millionths: string;
  price_plan: string;
  recipient_name: string | null;
  account_last4: string | null;
  recipient_encrypted: Buffer | null;
  account_index: Buffer | null;
  bank_recipient_encrypted: Buffer | null;
  created_via: Payout['createdVia'];
  created_by: string;
  bank_payment_id: string | null;
  bank_state: string | null;
  bank_debited_micro_usdc: string | null;
  bank_refunded_micro_usdc: string | null;
  failure_code: PaymentFailure | null;
  failure_reason: string | null;
  updated_at: Date;
  completed_at: Date | null;
  duplicate_suspected: boolean;
}

function payoutFrom(row: PayoutRow): Payout {
  return {
    id: row.id,
    partnerId: row.partner_id,
    environment: row.environment,
    rail: row.rail,
    state: row.state,
    revision: row.revision,
    attempts: row.attempts,
    idempotencyKey: row.idempotency_key,
    orderId: row.order_id,
    bankRound: row.bank_round,
    firstTriedAt: row.first_tried_at,
    reference: row.reference,
    bankReference: row.bank_reference,
    amount: BigInt(row.amount_pence),
    fee: BigInt(row.fee_pence),
    providerFee: BigInt(row.provider_fee_pence),
    walletDebit: BigInt(row.wallet_debit_micro_usdc),
    rate: BigInt(row.gbp_per_usd_millionths),
    pricePlan: row.price_plan,
    recipientName: row.recipient_name,
    accountLast4: row.account_last4,
    recipientEncrypted: row.recipient_encrypted,
    accountIndex: row.account_index,
    bankRecipientEncrypted: row.bank_recipient_encrypted,
    createdVia: row.created_via,
    createdBy: row.created_by,
    bankPaymentId: row.bank_payment_id,
    bankState: row.bank_state,
    bankDebited: bigOrNull(row.bank_debited_micro_usdc),
    bankRefunded: bigOrNull(row.bank_refunded_micro_usdc),
    failureCode: row.failure_code,
    failureReason: row.failure_reason,
    updatedAt: row.updated_at,
    completedAt: row.completed_at,
    isDuplicateSuspected: row.duplicate_suspected,
  };
}

export async function findPayout(calls: SingleCalls, of: PartnerContext, payoutId: string): Promise<Payout | null> {
  const [row] = await calls.call<PayoutRow>(payoutCalls.findPayout, [of.partnerId, of.environment, payoutId]);
  return row === undefined ? null : payoutFrom(row);
}

/** A payout of a month that has left the database, read by the database from its line, so that each column is as it was. */
export async function readArchivedPayout(calls: SingleCalls, { text }: Pick<ArchivedLine, 'text'>): Promise<Payout> {
  const [row] = await calls.call<PayoutRow>(payoutCalls.readArchived, [text]);
  if (row === undefined) throw new Error('a line of the archive that holds no payout');
  return payoutFrom(row);
}

/** The same of one of the caller's own, wherever it is. */
export async function findAnyPayout(
  { calls, archive }: { calls: SingleCalls; archive: Archive },
  of: PartnerContext,
  id: string,
): Promise<Payout | null> {
  const { partnerId, environment } = of;
  return findHereOrArchived(
    archive,
    { partnerId, environment, id },
    {
      findHere: async () => findPayout(calls, of, id),
      read: async (line) => readArchivedPayout(calls, line),
    },
  );
}

/** Those of some archived lines that fit, the newest first. */
export async function searchArchivedPayouts(
  calls: SingleCalls,
  { environment }: PartnerContext,
  search: Omit<PayoutSearch, 'fromId' | 'beforeId'>,
  lines: readonly ArchivedLine[],
): Promise<ShownPayout[]> {
  const rows = await calls.callForTexts<ShownColumns>(payoutCalls.filterArchived, [
    lines.map(({ text }) => text),
    search.states,
    search.reference,
    search.orderId,
    search.accountLast4,
    search.createdVia,
  ]);
  return rows.map((row) => shownFrom(row, environment));
}

/** Each as it is now, whosever it is; null for what is not there. */
export async function findPayouts(calls: SingleCalls, asked: readonly Asked[]): Promise<(Payout | null)[]> {
  const rows = await calls.call<PayoutRow & { place: string }>(payoutCalls.findPayouts, [
    asked.map(({ partnerId }) => partnerId),
    asked.map(({ environment }) => environment),
    asked.map(({ payoutId }) => payoutId),
  ]);
  const rowAt = new Map(rows.map((row) => [Number(row.place), row]));
  return asked.map((_, at) => {
    const row = rowAt.get(at + 1);
    return row === undefined ? null : payoutFrom(row);
  });
}

/** The columns of what is shown of a payout, in their order. */
type ShownColumns = [
  id: string,
  state: ShownPayout['state'],
  reference: string | null,
  bankReference: string,
  amount: string,
  fee: string,
  walletDebit: string,
  recipientName: string | null,
  accountLast4: string | null,
  failureCode: PaymentFailure | null,
  failureReason: string | null,
  updatedAt: string,
  createdVia: Payout['createdVia'],
  idempotencyKey: string | null,
  isDuplicateSuspected: 't' | 'f',
];

function shownFrom(columns: ShownColumns, environment: Payout['environment']): ShownPayout {
  const [id, state, reference, bankReference, amount, fee, walletDebit, recipientName, accountLast4] = columns;
  const [, , , , , , , , , failureCode, failureReason, updatedAt, createdVia, idempotencyKey, suspected] = columns;
  return {
    id,
    environment,
    state,
    reference,
    bankReference,
    amount: BigInt(amount),
    fee: BigInt(fee),
    walletDebit: BigInt(walletDebit),
    recipientName,
    accountLast4,
    failureCode,
    failureReason,
    updatedAt: readInstant(updatedAt),
    createdVia,
    idempotencyKey,
    isDuplicateSuspected: suspected === 't',
  };
}

/** A payout that was asked for, by its place, with the change that made it what it is. Its columns are null if it is known so. */
type ChangedColumns = [place: string, revision: string, instant: string, ...ShownColumns];
type UnchangedColumns = [place: string, revision: string, instant: string, id: null, ...null[]];

/**
 * What each partner may see of what it asks for: null for what is not there, is another's, or is not to be seen. What is
 * known already is read only where it has changed.
 */
export async function findShownPayouts(
  calls: SingleCalls,
  known: KnownPayouts,
  asked: readonly Asked[],
): Promise<(ShownPayout | null)[]> {
  const before = asked.map((one) => known.find(one));
  const lists = [
    asked.map(({ partnerId }) => partnerId),
    asked.map(({ environment }) => environment),
    asked.map(({ payoutId }) => payoutId),
    before.map((one) => one?.revision),
    before.map((one) => one?.instant),
  ];
  const rows = await calls.callForTexts<ChangedColumns | UnchangedColumns>(
    payoutCalls.retrieveChanged,
    lists.map(arrayLiteral),
  );
  const rowAt = new Map(rows.map((row) => [Number(row[0]), row]));
  return asked.map((one, at) => {
    const row = rowAt.get(at + 1);
    if (row === undefined) return null;
    if (row[3] === null) return before[at]?.payout ?? null;
    const [, revision, instant, ...columns] = row;
    const payout = shownFrom(columns, one.environment);
    known.keep(one, { revision, instant, payout });
    return payout;
  });
}

/** A payout, at a number of its history. */
export interface PayoutVersion extends PartnerContext {
  id: string;
  version: number;
}

/** Each as it was then, in the order that is asked for. */
export async function listPayoutVersions(
  calls: SingleCalls,
  versions: readonly PayoutVersion[],
): Promise<ShownPayout[]> {
  const rows = await calls.callForTexts<[place: string, ...ShownColumns]>(payoutCalls.retrieveVersions, [
    versions.map(({ partnerId }) => partnerId),
    versions.map(({ environment }) => environment),
    versions.map(({ id }) => id),
    versions.map(({ version }) => version),
  ]);
  const rowAt = new Map(rows.map(([place, ...columns]) => [Number(place), columns]));
  return versions.map(({ id, version, environment }, at) => {
    const columns = rowAt.get(at + 1);
    if (columns === undefined) throw new Error(`payout ${id} has no version ${version}`);
    return shownFrom(columns, environment);
  });
}

type PayoutRevision = [id: string, revision: string, instant: string];

/** Those of a list, in its order: what is not known as it is now is read together. */
async function showListed(
  calls: SingleCalls,
  known: KnownPayouts,
  of: PartnerContext,
  listed: readonly PayoutRevision[],
): Promise<ShownPayout[]> {
  const askFor = (payoutId: string): Asked => ({ ...of, payoutId });
  const current = listed.map(([payoutId, revision, instant]) => {
    const before = known.find(askFor(payoutId));
    return before?.revision === revision && before.instant === instant ? before.payout : payoutId;
  });
  const missing = current.filter((one) => typeof one === 'string');
  if (missing.length === 0) return current.filter((one) => typeof one !== 'string');
  const read = await findShownPayouts(calls, known, missing.map(askFor));
  const found = new Map(read.flatMap((payout) => (payout === null ? [] : [[payout.id, payout] as const])));
  return current.map((one) => {
    const payout = typeof one === 'string' ? found.get(one) : one;
    if (payout === undefined) throw new Error('a payout that was listed is not there');
    return payout;
  });
}

/**
 * The newest that a partner may see, the newest first, from the one after `beforeId` on. Where some may be known, the
 * database first says which there are; otherwise it gives all of them at once.
 */
export async function listShownPayouts(
  calls: SingleCalls,
  of: PartnerContext,
  { beforeId, limit, known }: { beforeId: string; limit: number; known: KnownPayouts | null },
): Promise<ShownPayout[]> {
  const values = [of.partnerId, of.environment, beforeId, limit];
  if (known !== null)
    return showListed(calls, known, of, await calls.callForTexts<PayoutRevision>(payoutCalls.listRevisions, values));
  const rows = await calls.callForTexts<ShownColumns>(payoutCalls.listPayouts, values);
  return rows.map((columns) => shownFrom(columns, of.environment));
}

/** What payouts are looked for by. Null fits all. */
export interface PayoutSearch {
  /** From this id on, and before that one. */
  fromId: string;
  beforeId: string;
  states: ShownPayout['state'][] | null;
  reference: string | null;
  orderId: string | null;
  accountLast4: string | null;
  createdVia: Payout['createdVia'] | null;
}

/** Those that fit, the newest first; and where the search ended, if it ended before it had looked at all of them. */
export async function searchShownPayouts(
  calls: SingleCalls,
  of: PartnerContext,
  search: PayoutSearch,
  { limit, maxScanned }: { limit: number; maxScanned: number },
): Promise<{ payouts: ShownPayout[]; endedAt: string | null }> {
  const rows = await calls.callForTexts<ShownColumns | PlaceColumns>(payoutCalls.filterPayouts, [
    of.partnerId,
    of.environment,
    search.fromId,
    search.beforeId,
    search.states,
    search.reference,
    search.orderId,
    search.accountLast4,
    search.createdVia,
    limit,
    maxScanned,
  ]);
  const last = rows.at(-1);
  const endedAt = last !== undefined && isPlace(last) ? last[0] : null;
  return { payouts: rows.filter((row) => !isPlace(row)).map((row) => shownFrom(row, of.environment)), endedAt };
}

/** A place in the list, and no payout: all but the id is empty. */
type PlaceColumns = [id: string, state: null];

function isPlace(columns: ShownColumns | PlaceColumns): columns is PlaceColumns {
  return columns[1] === null;
}

/** Whom a partner has paid or tried to: an account under a name. */
export interface PaidRecipient {
  name: string | null;
  accountLast4: string | null;
  payouts: number;
  paid: Pence;
  lastPaidAt: Date;
}

interface RecipientRow {
  recipient_name: string | null;
  account_last4: string | null;
  payouts: string;
  paid_pence: string;
  last_paid_at: Date;
}

/** The one that was paid last comes first. */
export async function listRecipients(
  calls: SingleCalls,
  of: PartnerContext,
  { fromId, limit, maxScanned }: { fromId: string; limit: number; maxScanned: number },
): Promise<PaidRecipient[]> {
  const values = [of.partnerId, of.environment, fromId, limit, maxScanned];
  const rows = await calls.call<RecipientRow>(payoutCalls.listRecipients, values);
  return rows.map((row) => ({
    name: row.recipient_name,
    accountLast4: row.account_last4,
    payouts: Number(row.payouts),
    paid: BigInt(row.paid_pence),
    lastPaidAt: row.last_paid_at,
  }));
}

/** The payout that an idempotency key stands for, and the fingerprint of its body. */
export interface Claim {
  payoutId: string;
  fingerprint: Buffer;
}

export async function findClaim(calls: SingleCalls, of: PartnerContext, orderId: string): Promise<Claim | null> {
  const [row] = await calls.call<{ payout_id: string; fingerprint: Buffer }>(payoutCalls.findClaim, [
    of.partnerId,
    of.environment,
    orderId,
  ]);
  return row === undefined ? null : { payoutId: row.payout_id, fingerprint: row.fingerprint };
}

export interface HistoryRow {
  number: number;
  at: Date;
  state: PayoutState;
  what: string;
  by: string;
  attempt: number;
  bank_state: string | null;
  detail: string | null;
  transfer_ids: string[];
}

export async function findOwnPayout(tx: Transaction, of: PartnerContext, payoutId: string): Promise<Payout | null> {
  const { rows } = await tx.query<PayoutRow>(
    'select * from kelpie.payouts where id = $1 and partner_id = $2 and environment = $3',
    [payoutId, of.partnerId, of.environment],
  );
  return rows[0] === undefined ? null : payoutFrom(rows[0]);
}

/** The same payout and its history, of a month that has left the database. */
export async function readArchivedHistory(
  tx: Transaction,
  { text }: ArchivedLine,
): Promise<{ payout: Payout; history: HistoryRow[] }> {
  const { rows } = await tx.query<PayoutRow>(payoutCalls.readArchived.text, [text]);
  const { rows: history } = await tx.query<HistoryRow>(
    `select h.* from jsonb_populate_recordset(null::kelpie.payout_history, $1::jsonb -> 'history') h order by h.number`,
    [text],
  );
  if (rows[0] === undefined) throw new Error('a line of the archive that holds no payout');
  return { payout: payoutFrom(rows[0]), history };
}

export async function listOwnHistory(tx: Transaction, of: PartnerContext, payoutId: string): Promise<HistoryRow[]> {
  const { rows } = await tx.query<HistoryRow>(
    `select * from kelpie.payout_history
     where payout_id = $1 and partner_id = $2 and environment = $3 order by number limit 1000`,
    [payoutId, of.partnerId, of.environment],
  );
  return rows;
}

interface DayRow {
  date: string;
  completed: string;
  paid_pence: string;
  failed: string;
  oldest_id: string;
}

/** A day in London, and the oldest payout among those that were counted for it. */
export interface CountedDay {
  date: string;
  completed: number;
  paid: Pence;
  failed: number;
  oldestId: string;
}

/** Days on which payouts arrived, or on which such were made as failed or were returned, of the newest `maxScanned`. */
export async function countByDay(
  calls: SingleCalls,
  of: PartnerContext,
  { fromId, maxScanned }: { fromId: string; maxScanned: number },
): Promise<CountedDay[]> {
  const values = [of.partnerId, of.environment, fromId, maxScanned];
  const rows = await calls.call<DayRow>(payoutCalls.countByDay, values);
  return rows.map((row) => ({
    date: row.date,
    completed: Number(row.completed),
    paid: BigInt(row.paid_pence),
    failed: Number(row.failed),
    oldestId: row.oldest_id,
  }));
}

/** Everything that was ever recorded of a payout. For the reading role, which sees every partner's. */
export async function readRecords(tx: Transaction, payoutId: string) {
  const payout = await tx.query<PayoutRow>('select * from kelpie.payouts where id = $1', [payoutId]);
  const history = await tx.query<HistoryRow>(
    'select * from kelpie.payout_history where payout_id = $1 order by number limit 1000',
    [payoutId],
  );
  const cases = await tx.query<{ kind: string; detail: string; opened_at: Date; closed_at: Date | null }>(
    'select kind, detail, opened_at, closed_at from kelpie.cases where payout_id = $1 or related_id = $1 order by opened_at limit 100',
    [payoutId],
  );
  const open = await tx.query<{ due_at: Date }>('select due_at from kelpie.payout_leases where payout_id = $1', [
    payoutId,
  ]);
  const [row] = payout.rows;
  if (row === undefined) return null;
  return { payout: payoutFrom(row), history: history.rows, cases: cases.rows, dueAt: open.rows[0]?.due_at ?? null };
}
