import type { FundingMethod } from '../banks/index.ts';
import type { MicroUsdc } from '../money/amounts.ts';
import type { Rail } from '../partners/index.ts';
import { bigOrNull } from '../platform/database/big-or-null.ts';
import type { Call, SingleCalls } from '../platform/database/single-call.ts';
import type { PartnerContext, Transaction } from '../platform/database/transaction.ts';
import type { DepositNews } from './merge-deposit-events.ts';
import type { DepositState, KnownDeposit, ShownDeposit } from './deposit.ts';
import { rateOf, type DepositChange, type DepositStep } from './apply-deposit-update.ts';
import type { WalletAlert } from './wallet-alert.ts';

// Sources

/** A partner at a bank that lacks somewhere to send its top-ups. */
export interface EnvironmentToFund extends PartnerContext {
  rail: Exclude<Rail, 'simulated'>;
  customerId: string;
  walletId: string;
}

interface EnvironmentRow {
  partner_id: string;
  environment: PartnerContext['environment'];
  rail: EnvironmentToFund['rail'];
  bank_customer_id: string;
  bank_wallet_id: string;
}

const environmentsToFundCall: Call = {
  name: 'list_environments_to_fund',
  text: 'select * from kelpie.list_environments_to_fund($1, $2)',
};

export async function listEnvironmentsToFund(
  calls: SingleCalls,
  { afterPartner, atMost }: { afterPartner: string; atMost: number },
): Promise<EnvironmentToFund[]> {
  const rows = await calls.call<EnvironmentRow>(environmentsToFundCall, [afterPartner, atMost]);
  return rows.map((row) => ({
    partnerId: row.partner_id,
    environment: row.environment,
    rail: row.rail,
    customerId: row.bank_customer_id,
    walletId: row.bank_wallet_id,
  }));
}

export async function listMethods(tx: Transaction): Promise<FundingMethod[]> {
  const { rows } = await tx.query<{ method: FundingMethod }>('select method from kelpie.funding_sources');
  return rows.map(({ method }) => method);
}

interface NewSource extends PartnerContext {
  id: string;
  method: FundingMethod;
  sourceId: string;
  chain: string | null;
  address: string | null;
  detailsEncrypted: Buffer | null;
  at: Date;
  dueAt: Date;
}

/** Where somebody else was faster, theirs stays. */
export async function insertSource(tx: Transaction, source: NewSource): Promise<void> {
  await tx.query(
    `insert into kelpie.funding_sources (
       id, partner_id, environment, method, source_id, chain, address, details_encrypted, opened_at, due_at, changed_at
     ) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $9)
     on conflict (partner_id, environment, method) do nothing`,
    [
      source.id,
      source.partnerId,
      source.environment,
      source.method,
      source.sourceId,
      source.chain,
      source.address,
      source.detailsEncrypted,
      source.at,
      source.dueAt,
    ],
  );
}

export interface DueSource extends PartnerContext {
  id: string;
}

interface DueRow {
  id: string;
  partner_id: string;
  environment: PartnerContext['environment'];
}

const dueCall: Call = {
  name: 'list_due_funding_sources',
  text: 'select * from kelpie.list_due_funding_sources($1, $2, $3)',
};

export async function listDueSources(
  calls: SingleCalls,
  { at, afterId, atMost }: { at: Date; afterId: string; atMost: number },
): Promise<DueSource[]> {
  const rows = await calls.call<DueRow>(dueCall, [at, afterId, atMost]);
  return rows.map((row) => ({ id: row.id, partnerId: row.partner_id, environment: row.environment }));
}

/** Somewhere that top-ups come in, and how far it was read. */
export interface ReadableSource extends PartnerContext {
  id: string;
  method: FundingMethod;
  rail: Rail;
  customerId: string;
  sourceId: string;
  readUpto: string | null;
  backfillTo: Date | null;
  wakes: string;
  changedAt: Date;
  /** Whether something is on its way. */
  hasPending: boolean;
}

interface SourceRow {
  method: FundingMethod;
  rail: Rail;
  bank_customer_id: string | null;
  source_id: string;
  read_upto: string | null;
  backfill_to: Date | null;
  wakes: string;
  changed_at: Date;
}

export async function getSource(tx: Transaction, { id, partnerId, environment }: DueSource): Promise<ReadableSource> {
  const { rows } = await tx.query<SourceRow>(
    `select f.method, e.rail, e.bank_customer_id, f.source_id, f.read_upto, f.backfill_to, f.wakes, f.changed_at
     from kelpie.funding_sources f
     join kelpie.partner_environments e on e.partner_id = f.partner_id and e.environment = f.environment
     where f.id = $1`,
    [id],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('a funding source of another partner, or of none');
  return {
    id,
    partnerId,
    environment,
    method: row.method,
    rail: row.rail,
    customerId: row.bank_customer_id ?? '',
    sourceId: row.source_id,
    readUpto: row.read_upto,
    backfillTo: row.backfill_to,
    wakes: row.wakes,
    changedAt: row.changed_at,
    hasPending: await hasPending(tx, row.method),
  };
}

async function hasPending(tx: Transaction, method: FundingMethod): Promise<boolean> {
  const { rows } = await tx.query(`select from kelpie.deposits where state = 'pending' and method = $1 limit 1`, [
    method,
  ]);
  return rows.length > 0;
}

interface Reading {
  id: string;
  readUpto: string | null;
  /** Whether all that was asked for was read and taken. Where not, it is read as far back the next time. */
  isDone: boolean;
  /** As they were when the reading began: a webhook since then means that there is something to read again. */
  wakes: string;
  hadNews: boolean;
  at: Date;
  nextDueAt: Date;
}

export async function finishReading(tx: Transaction, reading: Reading): Promise<void> {
  await tx.query(
    `update kelpie.funding_sources f
     set read_upto = coalesce($2, f.read_upto),
       changed_at = case when $4 then $5::timestamptz else f.changed_at end,
       due_at = case when f.wakes = $3 then $6::timestamptz else $5 end,
       backfill_to = case when f.wakes = $3 and $7 then null else f.backfill_to end
     where f.id = $1`,
    [reading.id, reading.readUpto, reading.wakes, reading.hadNews, reading.at, reading.nextDueAt, reading.isDone],
  );
}

export async function readAgainAt(tx: Transaction, id: string, dueAt: Date): Promise<void> {
  await tx.query('update kelpie.funding_sources set due_at = $2 where id = $1', [id, dueAt]);
}

const wakeCall: Call = {
  name: 'wake_deposit',
  text: 'select kelpie.wake_deposit($1, $2, $3, $4) as is_ours',
};

/** Says false where the source is nobody's. */
export async function makeSourceDue(
  calls: SingleCalls,
  news: { environment: PartnerContext['environment']; sourceId: string; depositId: string; at: Date },
): Promise<boolean> {
  const [row] = await calls.call<{ is_ours: boolean }>(wakeCall, [
    news.environment,
    news.sourceId,
    news.depositId,
    news.at,
  ]);
  return row?.is_ours ?? false;
}

const backfillCall: Call = {
  name: 'backfill_deposits',
  text: 'select kelpie.backfill_deposits($1, $2) as made_due',
};

export async function startBackfill(calls: SingleCalls, backTo: Date, at: Date): Promise<number> {
  const [row] = await calls.call<{ made_due: number }>(backfillCall, [backTo, at]);
  return row?.made_due ?? 0;
}

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

/** What the transaction's partner owes for deposits that were taken back when its wallet did not hold them any more. */
export async function readOwed(tx: Transaction): Promise<MicroUsdc> {
  const { rows } = await tx.query<{ owed: string }>(
    `select coalesce(sum(owed_micro_usdc) - sum(repaid_micro_usdc), 0) as owed from kelpie.deposits
     where owed_micro_usdc > 0 or repaid_micro_usdc > 0`,
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
}

/** What the partner is called, and whom it wants to be written to. */
export async function readContact(
  tx: Transaction,
  partnerId: string,
): Promise<{ business: string; contactEmail: string | null }> {
  const { rows } = await tx.query<{ name: string; contact_email: string | null }>(
    'select name, contact_email from kelpie.partners where id = $1',
    [partnerId],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('a partner that is not there');
  return { business: row.name, contactEmail: row.contact_email };
}

// What a partner is shown

interface ShownSourceRow {
  id: string;
  method: FundingMethod;
  chain: string | null;
  address: string | null;
  details_encrypted: Buffer | null;
}

/** Somewhere that the partner can send its top-ups to. */
export interface ShownSource {
  id: string;
  chain: string | null;
  address: string | null;
  detailsEncrypted: Buffer | null;
}

const showFundingCall: Call = { name: 'show_funding', text: 'select * from kelpie.show_funding($1, $2)' };

export async function listShownSources(calls: SingleCalls, of: PartnerContext): Promise<ShownSource[]> {
  const rows = await calls.call<ShownSourceRow>(showFundingCall, [of.partnerId, of.environment]);
  return rows.map(({ id, chain, address, details_encrypted: detailsEncrypted }) => ({
    id,
    chain,
    address,
    detailsEncrypted,
  }));
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
  return rows.map((row) => ({
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
  }));
}

// Wallets that run low

const watchCall: Call = {
  name: 'list_wallets_to_watch',
  text: 'select * from kelpie.list_wallets_to_watch($1, $2)',
};

export async function listWalletsToWatch(
  calls: SingleCalls,
  { afterPartner, atMost }: { afterPartner: string; atMost: number },
): Promise<PartnerContext[]> {
  const rows = await calls.call<Omit<DueRow, 'id'>>(watchCall, [afterPartner, atMost]);
  return rows.map((row) => ({ partnerId: row.partner_id, environment: row.environment }));
}

/** The wallet, and below what its partner wants to be told; null where it does not. */
export async function readWatchedWallet(
  tx: Transaction,
  partnerEnvironment: PartnerContext,
): Promise<{ balance: MicroUsdc; threshold: MicroUsdc } | null> {
  const { rows } = await tx.query<{ balance: string; threshold: string | null }>(
    `select w.balance_micro_usdc as balance, p.wallet_low_micro_usdc as threshold
     from kelpie.wallets w join kelpie.partners p on p.id = w.partner_id
     where w.partner_id = $1 and w.environment = $2`,
    [partnerEnvironment.partnerId, partnerEnvironment.environment],
  );
  const [row] = rows;
  return row === undefined || row.threshold === null
    ? null
    : { balance: BigInt(row.balance), threshold: BigInt(row.threshold) };
}

/** What the partner was told of the wallet; it is this transaction's until its end, so one of those who look at once tells. */
export async function lockAlert(
  tx: Transaction,
  { partnerId, environment }: PartnerContext,
  threshold: MicroUsdc,
): Promise<WalletAlert> {
  const partnerEnvironment = [partnerId, environment];
  await tx.query(
    `insert into kelpie.wallet_alerts (partner_id, environment, threshold_micro_usdc) values ($1, $2, $3)
     on conflict (partner_id, environment) do nothing`,
    [...partnerEnvironment, threshold],
  );
  const { rows } = await tx.query<{ low_since: Date | null; notified_at: Date | null; threshold: string }>(
    `select low_since, notified_at, threshold_micro_usdc as threshold from kelpie.wallet_alerts
     where partner_id = $1 and environment = $2 for no key update`,
    partnerEnvironment,
  );
  const [row] = rows;
  if (row === undefined) throw new Error('an alert of another partner');
  return { lowSince: row.low_since, notifiedAt: row.notified_at, threshold: BigInt(row.threshold) };
}

export async function writeAlert(
  tx: Transaction,
  { partnerId, environment }: PartnerContext,
  { lowSince, notifiedAt, threshold }: WalletAlert,
): Promise<void> {
  await tx.query(
    `update kelpie.wallet_alerts set low_since = $3, notified_at = $4, threshold_micro_usdc = $5
     where partner_id = $1 and environment = $2`,
    [partnerId, environment, lowSince, notifiedAt, threshold],
  );
}
