import type { FundingMethod, FundingSource } from '../banks/index.ts';
import type { MicroUsdc } from '../money/amounts.ts';
import { bigOrNull } from '../platform/database/big-or-null.ts';
import type { PartnerContext, Transaction } from '../platform/database/transaction.ts';
import { firstIdAt, instantOf, isUuid, lastId } from '../platform/ids.ts';
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

/** Payouts that somebody still looks after. */
export async function listOpenTransfers(tx: Transaction, atMost: number): Promise<string[]> {
  const { rows } = await tx.query<{ payout_id: string }>(
    'select payout_id from kelpie.payout_leases order by payout_id limit $1',
    [atMost],
  );
  return rows.map((row) => row.payout_id);
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

/** Since when something waits here; null where nothing does. */
export async function findOldestPending(tx: Transaction, method: FundingMethod): Promise<Date | null> {
  const { rows } = await tx.query<{ oldest: Date | null }>(
    `select min(coalesce(listed_at, updated_at)) as oldest from kelpie.deposits where state = 'pending' and method = $1`,
    [method],
  );
  return rows[0]?.oldest ?? null;
}

// The bank's wallet, by our books

/** What the ledger says that the bank keeps: what was posted before an instant, or since. */
export async function sumAtBank(
  tx: Transaction,
  partnerEnvironment: PartnerContext,
  { from, to }: { from: Date | null; to: Date | null },
): Promise<MicroUsdc> {
  const { rows } = await tx.query<{ sum: string }>(
    `select coalesce(sum(l.amount), 0) as sum from kelpie.ledger_entries l
     where l.account = 'bank_wallet' and l.partner_id = $1 and l.environment = $2 and l.transfer_id >= $3 and l.transfer_id < $4`,
    [
      partnerEnvironment.partnerId,
      partnerEnvironment.environment,
      firstIdAt(from ?? new Date(0)),
      to === null ? lastId : firstIdAt(to),
    ],
  );
  return BigInt(rows[0]?.sum ?? 0);
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
  /** Null where the bank did not say, or it did not stand still. */
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
