import type { FundingMethod } from '../banks/index.ts';
import {
  environmentAtBankFrom,
  type EnvironmentAtBank,
  type EnvironmentAtBankRow,
  type Rail,
} from '../partners/index.ts';
import type { Call, SingleCalls } from '../platform/database/single-call.ts';
import type { PartnerContext, Transaction } from '../platform/database/transaction.ts';

const environmentsToFundCall: Call = {
  name: 'list_environments_to_fund',
  text: 'select * from kelpie.list_environments_to_fund($1, $2)',
};

/** Partners at a bank that lack somewhere to send their top-ups. */
export async function listEnvironmentsToFund(
  calls: SingleCalls,
  { afterPartner, atMost }: { afterPartner: string; atMost: number },
): Promise<EnvironmentAtBank[]> {
  const rows = await calls.call<EnvironmentAtBankRow>(environmentsToFundCall, [afterPartner, atMost]);
  return rows.map(environmentAtBankFrom);
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

export interface DueRow {
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

/** The partner's source of a method, in a transaction of its environment; null where the bank has not opened it. */
export async function findSourceOf(
  tx: Transaction,
  method: FundingMethod,
): Promise<{ id: string; sourceId: string } | null> {
  const { rows } = await tx.query<{ id: string; source_id: string }>(
    'select id, source_id from kelpie.funding_sources where method = $1',
    [method],
  );
  const [row] = rows;
  return row === undefined ? null : { id: row.id, sourceId: row.source_id };
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
  writes: true,
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
  writes: true,
};

export async function startBackfill(calls: SingleCalls, backTo: Date, at: Date): Promise<number> {
  const [row] = await calls.call<{ made_due: number }>(backfillCall, [backTo, at]);
  return row?.made_due ?? 0;
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
