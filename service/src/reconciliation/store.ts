import type { FundingMethod, FundingSource } from '../banks/index.ts';
import type { MicroUsdc } from '../money/amounts.ts';
import { bigOrNull } from '../platform/database/big-or-null.ts';
import type { PartnerContext, Transaction } from '../platform/database/transaction.ts';
import { firstIdAt, instantOf, isUuid } from '../platform/ids.ts';
import type { OurDeposit } from './compare-deposit.ts';
import type { OurTransfer } from './compare-transfer.ts';
import type { Window } from './cut-off.ts';

const hourMs = 60 * 60_000;

/**
 * Below every transfer of the ledger for something that was made then: so that no month before it is looked through. Another
 * process, whose clock is a little behind, may have made them.
 */
function entriesSince(instant: Date): string {
  return firstIdAt(new Date(instant.getTime() - hourMs));
}

/** Up to where all lines were compared by the last run that could; null where there was none. */
export async function findComparedUpto(tx: Transaction): Promise<Date | null> {
  const { rows } = await tx.query<{ compared_upto: Date }>(
    'select compared_upto from kelpie.reconciled_environments where compared_upto is not null order by finished_at desc limit 1',
  );
  return rows[0]?.compared_upto ?? null;
}

// Transfers

interface TransferRow {
  id: string;
  order_id: string;
  state: string;
  bank_payment_id: string | null;
  amount_pence: string;
  account_index: Buffer;
  bank_recipient_encrypted: Buffer | null;
  took: string | null;
  refunded: string | null;
  updated_at: Date;
  booked: string;
}

/** Which recipient a payout named, of what is kept of it. */
export type RecipientOpener = (accountIndex: Buffer, encrypted: Buffer | null) => OurTransfer['recipient'];

function transferFrom(row: TransferRow, open: RecipientOpener): OurTransfer {
  return {
    payoutId: row.id,
    orderId: row.order_id,
    state: row.state,
    paymentId: row.bank_payment_id,
    pays: BigInt(row.amount_pence),
    recipient: open(row.account_index, row.bank_recipient_encrypted),
    took: bigOrNull(row.took),
    refunded: bigOrNull(row.refunded),
    booked: BigInt(row.booked),
    changedAt: row.updated_at,
  };
}

/** $1 and $2 say whose, $3 from which transfer of the ledger on. */
const transferColumns = `p.id, p.order_id, p.state::text, p.bank_payment_id, p.amount_pence, p.account_index,
  p.bank_recipient_encrypted, p.bank_debited_micro_usdc as took,
  p.bank_refunded_micro_usdc as refunded, p.updated_at, (
    select coalesce(sum(l.amount), 0) from kelpie.ledger_entries l
    where l.account = 'bank_wallet' and l.partner_id = $1 and l.environment = $2 and l.cause_id = p.id and l.transfer_id >= $3
  ) as booked`;

/** More than a slice of time should hold. */
export const transfersAtOnce = 4_000;

/**
 * Payouts of a slice of time that were at a bank or may have been, newest first; one more than there should be where the slice
 * is too long. It is asked for by its ends: with a limit alone, row security keeps the server from stopping at it, and it would
 * read all that is older for every page.
 */
export async function listTransfers(
  tx: Transaction,
  partnerEnvironment: PartnerContext,
  { from, to, open }: { from: Date; to: Date; open: RecipientOpener },
): Promise<OurTransfer[]> {
  const { rows } = await tx.query<TransferRow>(
    `select ${transferColumns} from kelpie.payouts p
     where p.partner_id = $1 and p.environment = $2 and p.id >= $4 and p.id < $5 and p.rail <> 'simulated'
       and p.state <> 'not_created'
     order by p.id desc limit ${transfersAtOnce + 1}`,
    [partnerEnvironment.partnerId, partnerEnvironment.environment, entriesSince(from), firstIdAt(from), firstIdAt(to)],
  );
  return rows.map((row) => transferFrom(row, open));
}

/** When the first payout was made; null where there is none. */
export async function findFirstTransfer(tx: Transaction, partnerEnvironment: PartnerContext): Promise<Date | null> {
  const { rows } = await tx.query<{ id: string }>(
    'select p.id from kelpie.payouts p where p.partner_id = $1 and p.environment = $2 order by p.id limit 1',
    [partnerEnvironment.partnerId, partnerEnvironment.environment],
  );
  return rows[0] === undefined ? null : instantOf(rows[0].id);
}

export async function findTransfer(
  tx: Transaction,
  partnerEnvironment: PartnerContext,
  { payoutId, open }: { payoutId: string; open: RecipientOpener },
): Promise<OurTransfer | null> {
  const { rows } = await tx.query<TransferRow>(
    `select ${transferColumns} from kelpie.payouts p where p.partner_id = $1 and p.environment = $2 and p.id = $4`,
    [partnerEnvironment.partnerId, partnerEnvironment.environment, entriesSince(instantOf(payoutId)), payoutId],
  );
  return rows[0] === undefined ? null : transferFrom(rows[0], open);
}

/** The payout that an order of ours became, by what the bank calls it; null where it is no order of this partner's. */
export async function findPayoutOfOrder(tx: Transaction, reference: string | null): Promise<string | null> {
  if (reference === null || !isUuid(reference)) return null;
  const { rows } = await tx.query<{ payout_id: string }>(
    'select payout_id from kelpie.idempotency_keys where order_id = $1',
    [reference],
  );
  return rows[0]?.payout_id ?? null;
}

/** Payouts of before an instant that somebody still looks after, and that the bank has. */
export async function listOpenTransfers(
  tx: Transaction,
  { before, atMost }: { before: Date; atMost: number },
): Promise<{ payoutId: string; paymentId: string }[]> {
  const { rows } = await tx.query<{ payout_id: string; bank_payment_id: string }>(
    `select l.payout_id, p.bank_payment_id from kelpie.payout_leases l join kelpie.payouts p on p.id = l.payout_id
     where l.payout_id < $1 and p.bank_payment_id is not null order by l.payout_id limit $2`,
    [firstIdAt(before), atMost],
  );
  return rows.map((row) => ({ payoutId: row.payout_id, paymentId: row.bank_payment_id }));
}

/** A payout of ours, as one of the bank's lines names it. */
export interface OrderedPayout {
  payoutId: string;
  paymentId: string | null;
  state: string;
}

/** The payouts that these orders became, by order. What people paid at the bank has any reference, and is none of ours. */
export async function findOrderedPayouts(
  tx: Transaction,
  references: readonly string[],
): Promise<ReadonlyMap<string, OrderedPayout>> {
  const { rows } = await tx.query<{
    order_id: string;
    payout_id: string;
    bank_payment_id: string | null;
    state: string;
  }>(
    `select k.order_id, k.payout_id, p.bank_payment_id, p.state::text
     from kelpie.idempotency_keys k join kelpie.payouts p on p.id = k.payout_id where k.order_id = any ($1::uuid[])`,
    [references.filter(isUuid)],
  );
  return new Map(
    rows.map((row) => [row.order_id, { payoutId: row.payout_id, paymentId: row.bank_payment_id, state: row.state }]),
  );
}

// Deposits

export interface SourceRow extends FundingSource {
  id: string;
}

export async function listSources(tx: Transaction, customerId: string): Promise<SourceRow[]> {
  const { rows } = await tx.query<{ id: string; method: FundingMethod; source_id: string }>(
    'select id, method, source_id from kelpie.funding_sources order by method limit 10',
  );
  return rows.map((row) => ({ id: row.id, method: row.method, customerId, sourceId: row.source_id }));
}

interface DepositRow {
  id: string;
  bank_deposit_id: string;
  state: string;
  net: string | null;
  reversed: string | null;
  listed_at: Date | null;
  updated_at: Date;
  booked: string;
}

function depositFrom(row: DepositRow): OurDeposit {
  return {
    id: row.id,
    bankDepositId: row.bank_deposit_id,
    state: row.state,
    net: bigOrNull(row.net),
    reversed: bigOrNull(row.reversed),
    booked: BigInt(row.booked),
    listedAt: row.listed_at,
    changedAt: row.updated_at,
  };
}

const depositColumns = `d.id, d.bank_deposit_id, d.state, d.net_micro_usdc as net, d.reversed_micro_usdc as reversed, d.listed_at,
  d.updated_at, (
    select coalesce(sum(l.amount), 0) from kelpie.ledger_entries l
    where l.account = 'bank_wallet' and l.partner_id = $1 and l.environment = $2 and l.cause_id = d.id
  ) as booked`;

/** More than a source ever brings between two runs; a run that meets more says that it is not whole. */
export const mostDeposits = 50_000;

/** Deposits by one method: those that the bank names, and those that its list should name since then. */
export async function listDeposits(
  tx: Transaction,
  partnerEnvironment: PartnerContext,
  { method, bankIds, since }: { method: FundingMethod; bankIds: readonly string[]; since: Date | null },
): Promise<OurDeposit[]> {
  const { rows } = await tx.query<DepositRow>(
    `select ${depositColumns} from kelpie.deposits d
     where d.partner_id = $1 and d.environment = $2 and d.method = $3
       and (d.bank_deposit_id = any ($4) or coalesce(d.listed_at, d.updated_at) >= $5)
     order by d.id limit ${mostDeposits}`,
    [partnerEnvironment.partnerId, partnerEnvironment.environment, method, bankIds, since ?? new Date(0)],
  );
  return rows.map(depositFrom);
}

/** From where the bank's lists have to be read to see all of these; null for all there is, where one is not known here. */
export async function findOldestListing(tx: Transaction, bankIds: readonly string[]): Promise<Date | null> {
  const { rows } = await tx.query<{ oldest: Date | null }>(
    `select case when count(listed_at) = cardinality($1::text[]) then min(listed_at) end as oldest
     from kelpie.deposits where bank_deposit_id = any ($1)`,
    [bankIds],
  );
  return rows[0]?.oldest ?? null;
}

/** What became of these, by the bank's ids. */
export async function findDepositStates(
  tx: Transaction,
  bankIds: readonly string[],
): Promise<ReadonlyMap<string, { id: string; state: string }>> {
  const { rows } = await tx.query<{ id: string; bank_deposit_id: string; state: string }>(
    'select id, bank_deposit_id, state from kelpie.deposits where bank_deposit_id = any ($1)',
    [bankIds],
  );
  return new Map(rows.map(({ id, bank_deposit_id: bankId, state }) => [bankId, { id, state }]));
}

/** Since when something waits here; null where nothing does. */
export async function findOldestPending(tx: Transaction, method: FundingMethod): Promise<Date | null> {
  const { rows } = await tx.query<{ oldest: Date | null }>(
    `select min(coalesce(listed_at, updated_at)) as oldest from kelpie.deposits where state = 'pending' and method = $1`,
    [method],
  );
  return rows[0]?.oldest ?? null;
}

// Runs

export interface Run {
  id: string;
  askedBy: string;
  startedAt: Date;
  cutOff: Date;
  /** The one partner that was asked for; null for all. */
  partnerId: string | null;
  /** Since when lines were asked for, in place of since the last run; null for that, and for all there is. */
  from: Date | null;
}

export async function insertRun(tx: Transaction, run: Run): Promise<void> {
  await tx.query(
    `insert into kelpie.reconciliations (id, asked_by, started_at, cut_off_at, of_partner, lines_from)
     values ($1, $2, $3, $4, $5, $6)`,
    [run.id, run.askedBy, run.startedAt, run.cutOff, run.partnerId, run.from],
  );
}

/** The newest of these that was neither finished nor about one partner or some lines only. */
export async function findUnfinishedRun(
  tx: Transaction,
  { askedBy, since }: { askedBy: string; since: Date },
): Promise<Run | null> {
  const { rows } = await tx.query<{ id: string; started_at: Date; cut_off_at: Date }>(
    `select id, started_at, cut_off_at from kelpie.reconciliations
     where asked_by = $1 and id >= $2 and state = 'running' and of_partner is null and lines_from is null
     order by id desc limit 1`,
    [askedBy, firstIdAt(since)],
  );
  const [row] = rows;
  if (row === undefined) return null;
  return { id: row.id, askedBy, startedAt: row.started_at, cutOff: row.cut_off_at, partnerId: null, from: null };
}

export type RunState = 'clean' | 'differences' | 'incomplete';

export async function finishRun(
  tx: Transaction,
  id: string,
  { state, at }: { state: RunState; at: Date },
): Promise<void> {
  await tx.query(`update kelpie.reconciliations set state = $2, finished_at = $3 where id = $1 and state = 'running'`, [
    id,
    state,
    at,
  ]);
}

/** What a run found of one partner environment. */
export interface EnvironmentFindings {
  window: Window;
  transfers: number;
  deposits: number;
  inFlight: number;
  /** Null where the bank did not say, or what it said could not be explained. */
  balance: { ours: MicroUsdc; bank: MicroUsdc; inFlight: MicroUsdc } | null;
  differences: number;
  known: number;
  trouble: string | null;
  /** Null where nothing can be said of that. */
  comparedUpto: Date | null;
}

export async function insertEnvironment(
  tx: Transaction,
  {
    runId,
    partnerEnvironment,
    findings,
    at,
  }: { runId: string; partnerEnvironment: PartnerContext; findings: EnvironmentFindings; at: Date },
): Promise<void> {
  await tx.query(
    `insert into kelpie.reconciled_environments (
       run_id, partner_id, environment, from_at, transfers, deposits, in_flight, ours_micro_usdc, bank_micro_usdc,
       in_flight_micro_usdc, differences, known, trouble, compared_upto, finished_at
     ) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
    [
      runId,
      partnerEnvironment.partnerId,
      partnerEnvironment.environment,
      findings.window.from,
      findings.transfers,
      findings.deposits,
      findings.inFlight,
      findings.balance?.ours ?? null,
      findings.balance?.bank ?? null,
      findings.balance?.inFlight ?? null,
      findings.differences,
      findings.known,
      findings.trouble,
      findings.comparedUpto,
      at,
    ],
  );
}

interface FindingsRow {
  from_at: Date | null;
  transfers: string;
  deposits: string;
  in_flight: string;
  ours_micro_usdc: string | null;
  bank_micro_usdc: string | null;
  in_flight_micro_usdc: string | null;
  differences: string;
  known: string;
  trouble: string | null;
  compared_upto: Date | null;
}

/** What a run has found of the transaction's partner; null where it has not come to it. */
export async function findEnvironment(tx: Transaction, { id, cutOff }: Run): Promise<EnvironmentFindings | null> {
  const { rows } = await tx.query<FindingsRow>(
    `select from_at, transfers, deposits, in_flight, ours_micro_usdc, bank_micro_usdc, in_flight_micro_usdc, differences, known,
       trouble, compared_upto
     from kelpie.reconciled_environments where run_id = $1`,
    [id],
  );
  const [row] = rows;
  if (row === undefined) return null;
  const ours = bigOrNull(row.ours_micro_usdc);
  const bank = bigOrNull(row.bank_micro_usdc);
  return {
    window: { from: row.from_at, cutOff },
    transfers: Number(row.transfers),
    deposits: Number(row.deposits),
    inFlight: Number(row.in_flight),
    balance: ours === null || bank === null ? null : { ours, bank, inFlight: BigInt(row.in_flight_micro_usdc ?? 0) },
    differences: Number(row.differences),
    known: Number(row.known),
    trouble: row.trouble,
    comparedUpto: row.compared_upto,
  };
}
