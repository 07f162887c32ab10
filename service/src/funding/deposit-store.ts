import type { FundingMethod } from '../banks/index.ts';
import type { MicroUsdc } from '../money/amounts.ts';
import { bigOrNull } from '../platform/database/big-or-null.ts';
import type { Call, SingleCalls } from '../platform/database/single-call.ts';
import type { PartnerContext, Transaction } from '../platform/database/transaction.ts';
import { type DepositChange, type DepositStep, rateOf } from './apply-deposit-update.ts';
import type { DepositState, KnownDeposit, ShownDeposit } from './deposit.ts';
import type { DepositNews } from './merge-deposit-events.ts';

// Deposits

interface Locking extends PartnerContext {
  method: FundingMethod;
  /** Its id, if it is new. */
  newId: string;
  senderEncrypted: Buffer | null;
  news: DepositNews;
  at: Date;
}

interface KnownRow {
  id: string;
  state: DepositState;
  revision: number;
  bank_state: string;
  sent_pence: string | null;
  net_micro_usdc: string | null;
  fee_micro_usdc: string | null;
  gbp_per_usd_millionths: string | null;
  trouble: string | null;
  has_sender: boolean;
}

/** The deposit, which is now ours until the end of this transaction; a row of its own where the bank tells of it first. */
export async function lockDeposit(tx: Transaction, locking: Locking): Promise<{ known: KnownDeposit; isNew: boolean }> {
  const existing = await findLocked(tx, locking);
  if (existing !== null) return { known: existing, isNew: false };
  const isNew = await insertDeposit(tx, locking);
  // Not new: somebody else has written it since, and has committed.
  const known = await findLocked(tx, locking);
  if (known === null) throw new Error('a deposit of another partner');
  return { known, isNew };
}

async function findLocked(tx: Transaction, { environment, news }: Locking): Promise<KnownDeposit | null> {
  const { rows } = await tx.query<KnownRow>(
    `select id, state, revision, bank_state, sent_pence, net_micro_usdc, fee_micro_usdc, gbp_per_usd_millionths, trouble,
       sender_encrypted is not null as has_sender
     from kelpie.deposits where environment = $1 and bank_deposit_id = $2 for no key update`,
    [environment, news.depositId],
  );
  const [row] = rows;
  return row === undefined ? null : knownFrom(row);
}

function knownFrom(row: KnownRow): KnownDeposit {
  return {
    id: row.id,
    state: row.state,
    revision: row.revision,
    bankState: row.bank_state,
    sentPence: bigOrNull(row.sent_pence),
    net: bigOrNull(row.net_micro_usdc),
    fee: bigOrNull(row.fee_micro_usdc),
    rate: bigOrNull(row.gbp_per_usd_millionths),
    trouble: row.trouble,
    hasSender: row.has_sender,
  };
}

async function insertDeposit(tx: Transaction, { news, ...made }: Locking): Promise<boolean> {
  const { rows } = await tx.query(
    `with made as (
       insert into kelpie.deposits (
         id, partner_id, environment, method, bank_deposit_id, state, revision, bank_state, listed_at, sent_pence,
         net_micro_usdc, fee_micro_usdc, gbp_per_usd_millionths, sender_encrypted, updated_at
       ) values ($1, $2, $3, $4, $5, 'pending', 1, $6, $7, $8, $9, $10, $11, $12, $13)
       on conflict (environment, bank_deposit_id) do nothing
       returning id, partner_id, environment, state, bank_state, updated_at
     )
     insert into kelpie.deposit_history (deposit_id, number, partner_id, environment, at, state, what, bank_state)
     select id, 1, partner_id, environment, updated_at, state, 'seen', bank_state from made
     returning deposit_id`,
    [
      made.newId,
      made.partnerId,
      made.environment,
      made.method,
      news.depositId,
      news.bankState,
      news.listedAt,
      news.sentPence,
      news.net,
      news.fee,
      rateOf(news.sentPence, news.net, news.fee),
      made.senderEncrypted,
      made.at,
    ],
  );
  return rows.length === 1;
}

/** What the partner owes for deposits that were taken back when its wallet did not hold them any more. Lock the wallet first. */
export async function readOwed(tx: Transaction, { partnerId, environment }: PartnerContext): Promise<MicroUsdc> {
  const { rows } = await tx.query<{ owed: string }>(
    'select owed_micro_usdc as owed from kelpie.debts where partner_id = $1 and environment = $2',
    [partnerId, environment],
  );
  return BigInt(rows[0]?.owed ?? 0);
}

/** How a step moved money. */
export interface StepMoney {
  transferId: string;
  owed: MicroUsdc;
  repaid: MicroUsdc;
}

interface WrittenStep {
  id: string;
  /** The number that it builds on. */
  from: number;
  change: DepositChange;
  step: DepositStep;
  money: StepMoney | null;
  senderEncrypted: Buffer | null;
  at: Date;
}

export async function writeStep(
  tx: Transaction,
  partnerEnvironment: PartnerContext,
  written: WrittenStep,
): Promise<void> {
  const { id, from, change, step, money, senderEncrypted, at } = written;
  const { rows } = await tx.query(
    `update kelpie.deposits d
     set state = $3, revision = $2 + 1, bank_state = $4, sent_pence = $5, net_micro_usdc = $6, fee_micro_usdc = $7,
       gbp_per_usd_millionths = $8, trouble = $9, sender_encrypted = coalesce(d.sender_encrypted, $10),
       credited_at = case when $3 = 'credited' then coalesce(d.credited_at, $11) else d.credited_at end,
       reversed_micro_usdc = coalesce($12, d.reversed_micro_usdc),
       owed_micro_usdc = d.owed_micro_usdc + $13, repaid_micro_usdc = d.repaid_micro_usdc + $14, updated_at = $11
     where d.id = $1 and d.revision = $2 returning d.id`,
    [
      id,
      from,
      step.state,
      change.bankState,
      change.sentPence,
      change.net,
      change.fee,
      change.rate,
      change.trouble,
      senderEncrypted,
      at,
      step.what === 'reversed' ? step.amount : null,
      money?.owed ?? 0n,
      money?.repaid ?? 0n,
    ],
  );
  if (rows.length !== 1) throw new Error('a deposit changed under its own lock');
  await tx.query(
    `insert into kelpie.deposit_history (
       deposit_id, number, partner_id, environment, at, state, what, bank_state, detail, transfer_id
     ) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      id,
      from + 1,
      partnerEnvironment.partnerId,
      partnerEnvironment.environment,
      at,
      step.state,
      step.what,
      change.bankState,
      change.trouble,
      money?.transferId ?? null,
    ],
  );
  if (step.what === 'credited' || step.what === 'reversed') await addDepositEvent(tx, id, { what: step.what, at });
}

/** With the deposit as it is now. */
async function addDepositEvent(
  tx: Transaction,
  id: string,
  { what, at }: { what: 'credited' | 'reversed'; at: Date },
): Promise<void> {
  await tx.query(
    `select kelpie.add_event($1, d.environment, d.id, d.revision, $2, kelpie.deposit_snapshot(d))
     from kelpie.deposits d where d.id = $3`,
    [`deposit.${what}`, at, id],
  );
}

interface ShownDepositRow {
  id: string;
  method: FundingMethod;
  state: DepositState;
  sent_pence: string | null;
  net_micro_usdc: string | null;
  fee_micro_usdc: string | null;
  gbp_per_usd_millionths: string | null;
  reversed_micro_usdc: string | null;
  sender_encrypted: Buffer | null;
  credited_at: Date | null;
  updated_at: Date;
}

interface DepositSearch {
  fromId: string;
  beforeId: string;
  states: readonly DepositState[] | null;
  method: FundingMethod | null;
  limit: number;
}

const listDepositsCall: Call = {
  name: 'list_deposits',
  text: 'select * from kelpie.list_deposits($1, $2, $3, $4, $5, $6, $7)',
};

export async function listShownDeposits(
  calls: SingleCalls,
  of: PartnerContext,
  search: DepositSearch,
): Promise<ShownDeposit[]> {
  const rows = await calls.call<ShownDepositRow>(listDepositsCall, [
    of.partnerId,
    of.environment,
    search.fromId,
    search.beforeId,
    search.states,
    search.method,
    search.limit,
  ]);
  return rows.map(shownFrom);
}

/** A deposit by the bank's own id of it; null where it was not seen yet. */
export async function findByBankId(
  tx: Transaction,
  { environment }: PartnerContext,
  bankDepositId: string,
): Promise<ShownDeposit | null> {
  const { rows } = await tx.query<ShownDepositRow>(
    `select id, method, state, sent_pence, net_micro_usdc, fee_micro_usdc, gbp_per_usd_millionths, reversed_micro_usdc,
       sender_encrypted, credited_at, updated_at
     from kelpie.deposits where environment = $1 and bank_deposit_id = $2`,
    [environment, bankDepositId],
  );
  const [row] = rows;
  return row === undefined ? null : shownFrom(row);
}

function shownFrom(row: ShownDepositRow): ShownDeposit {
  return {
    id: row.id,
    method: row.method,
    state: row.state,
    sentPence: bigOrNull(row.sent_pence),
    net: bigOrNull(row.net_micro_usdc),
    fee: bigOrNull(row.fee_micro_usdc),
    rate: bigOrNull(row.gbp_per_usd_millionths),
    reversed: bigOrNull(row.reversed_micro_usdc),
    senderEncrypted: row.sender_encrypted,
    creditedAt: row.credited_at,
    updatedAt: row.updated_at,
  };
}
