import type { PartnerContext, Transaction } from '../../platform/database/transaction.ts';
import type { Rail } from '../environment.ts';

/** The columns of a partner that kelpie_operator may read. */
export interface AdminPartner {
  id: string;
  slug: string;
  name: string;
  status: string;
  /** Null while it is open. */
  closedAt: Date | null;
  verificationStatus: string;
  screening: string;
  /** Multiplies the rate limits of its API keys. */
  rateFactor: number;
}

interface PartnerRow {
  id: string;
  slug: string;
  name: string;
  status: string;
  closed_at: Date | null;
  verification_status: string;
  screening: string;
  rate_factor: number;
}

const columns = 'id, slug, name, status, closed_at, verification_status, screening, rate_factor';

function partnerFrom(row: PartnerRow): AdminPartner {
  const { closed_at: closedAt, verification_status: verificationStatus, rate_factor: rateFactor, ...rest } = row;
  return { ...rest, closedAt, verificationStatus, rateFactor };
}

/** By slug or id. */
export async function findPartner(tx: Transaction, slugOrId: string): Promise<AdminPartner | null> {
  const { rows } = await tx.query<PartnerRow>(
    `select ${columns} from kelpie.partners where slug = $1 or id::text = lower($1)`,
    [slugOrId],
  );
  const [row] = rows;
  return row === undefined ? null : partnerFrom(row);
}

/** Newest first. A null status matches all. */
export async function listPartners(
  tx: Transaction,
  { status, atMost }: { status: string | null; atMost: number },
): Promise<AdminPartner[]> {
  const { rows } = await tx.query<PartnerRow>(
    `select ${columns} from kelpie.partners where $1::text is null or status = $1 order by id desc limit $2`,
    [status, atMost],
  );
  return rows.map(partnerFrom);
}

export interface AdminEnvironment {
  environment: string;
  rail: Rail;
  pricePlan: string;
  walletMicroUsdc: bigint;
  activeKeys: number;
  /** Payouts that have not finished. */
  openPayouts: number;
  fundingMethods: string[];
}

interface EnvironmentRow {
  environment: string;
  rail: Rail;
  price_plan: string;
  balance: string;
  keys: number;
  open: number;
  methods: string[];
}

/** Runs as kelpie_reader. */
export async function listEnvironments(tx: Transaction, partnerId: string): Promise<AdminEnvironment[]> {
  const { rows } = await tx.query<EnvironmentRow>(
    `select e.environment::text, e.rail, e.price_plan, coalesce(w.balance_micro_usdc, 0) as balance,
       (
         select count(*)::int from kelpie.api_keys k
         where k.partner_id = e.partner_id and k.environment = e.environment and k.revoked_at is null
       ) as keys,
       (
         select count(*)::int from kelpie.payout_leases o
         where o.partner_id = e.partner_id and o.environment = e.environment
       ) as open,
       array(
         select f.method from kelpie.funding_sources f
         where f.partner_id = e.partner_id and f.environment = e.environment order by f.method
       ) as methods
     from kelpie.partner_environments e
     left join kelpie.wallets w on w.partner_id = e.partner_id and w.environment = e.environment
     where e.partner_id = $1 order by e.environment`,
    [partnerId],
  );
  return rows.map((row) => ({
    environment: row.environment,
    rail: row.rail,
    pricePlan: row.price_plan,
    walletMicroUsdc: BigInt(row.balance),
    activeKeys: row.keys,
    openPayouts: row.open,
    fundingMethods: row.methods,
  }));
}

/** Returns false if the status has changed. The database refuses it unless this transaction has recorded the act. */
export async function suspendPartner(tx: Transaction, partnerId: string, from: string): Promise<boolean> {
  const { rows } = await tx.query<{ changed: boolean }>(
    `select kelpie.operator_set_status($1, 'partner.suspend', $2, 'suspended') as changed`,
    [partnerId, from],
  );
  return rows[0]?.changed ?? false;
}

/** Returns false if the partner is no longer suspended. The proposal says what it becomes. */
export async function activatePartner(
  tx: Transaction,
  partnerId: string,
  { proposalId, at }: { proposalId: string; at: Date },
): Promise<boolean> {
  const { rows } = await tx.query<{ changed: boolean }>(
    'select kelpie.operator_activate_partner($1, $2, $3) as changed',
    [proposalId, partnerId, at],
  );
  return rows[0]?.changed ?? false;
}

/** Why an account can't be closed yet. The database function says what each means. */
export type ClosingObstacle =
  | 'payouts_open'
  | 'cases_open'
  | 'wallet_not_empty'
  | 'suspense'
  | 'deposit_pending'
  | 'debt'
  | 'invoices_unpaid';

/** Runs as kelpie_reader. Null if nothing is in the way. */
export async function findClosingObstacle(tx: Transaction, partnerId: string): Promise<ClosingObstacle | null> {
  const { rows } = await tx.query<{ obstacle: ClosingObstacle | null }>(
    'select kelpie.closing_obstacle($1) as obstacle',
    [partnerId],
  );
  return rows[0]?.obstacle ?? null;
}

/** What was proposed is taken with it: whoever gets another outcome than `closed` must roll back. */
export async function closePartner(
  tx: Transaction,
  partnerId: string,
  { proposalId, at }: { proposalId: string; at: Date },
): Promise<'closed' | 'closed_before' | ClosingObstacle> {
  const { rows } = await tx.query<{ outcome: 'closed' | 'closed_before' | ClosingObstacle }>(
    'select kelpie.operator_close_partner($1, $2, $3) as outcome',
    [proposalId, partnerId, at],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('the database returned no row');
  return row.outcome;
}

/** Returns false if the screening has changed. The database refuses it unless this transaction has recorded the act. */
export async function setScreening(
  tx: Transaction,
  partnerId: string,
  { from, to }: { from: string; to: string },
): Promise<boolean> {
  const { rows } = await tx.query<{ changed: boolean }>('select kelpie.operator_set_screening($1, $2, $3) as changed', [
    partnerId,
    from,
    to,
  ]);
  return rows[0]?.changed ?? false;
}

/** Returns false if the screening has changed. The database refuses it unless another operator proposed it. */
export async function clearScreening(
  tx: Transaction,
  partnerId: string,
  { proposalId, at }: { proposalId: string; at: Date },
): Promise<boolean> {
  const { rows } = await tx.query<{ changed: boolean }>(
    'select kelpie.operator_clear_screening($1, $2, $3) as changed',
    [proposalId, partnerId, at],
  );
  return rows[0]?.changed ?? false;
}

export async function setRateFactor(tx: Transaction, partnerId: string, factor: number): Promise<boolean> {
  const { rows } = await tx.query<{ changed: boolean }>('select kelpie.operator_set_rate_factor($1, $2) as changed', [
    partnerId,
    factor,
  ]);
  return rows[0]?.changed ?? false;
}

function codeOf(error: unknown): unknown {
  return error instanceof Error ? Reflect.get(error, 'code') : undefined;
}

const foreignKeyViolation = '23503';
const noDataFound = 'P0002';

interface PlanChange {
  plan: string;
  at: Date;
}

/** The database refuses it unless this transaction has recorded the act. */
export async function setPricePlan(
  tx: Transaction,
  { partnerId, environment }: PartnerContext,
  { plan, at }: PlanChange,
): Promise<'changed' | 'same' | 'no_plan' | 'no_environment'> {
  try {
    const { rows } = await tx.query<{ changed: boolean }>(
      'select kelpie.operator_set_price_plan($1, $2, $3, $4) as changed',
      [partnerId, environment, at, plan],
    );
    return rows[0]?.changed === true ? 'changed' : 'same';
  } catch (error) {
    if (codeOf(error) === foreignKeyViolation) return 'no_plan';
    if (codeOf(error) === noDataFound) return 'no_environment';
    throw error;
  }
}

export interface PricePlan {
  id: string;
  fixedPence: bigint;
  basisPoints: bigint;
  bankFixedPence: bigint;
  bankBasisPoints: bigint;
  monthlyPence: bigint;
  verificationPence: bigint;
  networkMarkupBasisPoints: bigint;
  exceptionMarkupBasisPoints: bigint;
}

interface PlanRow {
  id: string;
  fixed_pence: string;
  basis_points: string;
  bank_fixed_pence: string;
  bank_basis_points: string;
  monthly_pence: string;
  verification_pence: string;
  network_markup_basis_points: string;
  exception_markup_basis_points: string;
  environments: number;
}

/** Newest first, with how many partner environments use each. Runs as kelpie_reader. */
export async function listPricePlans(
  tx: Transaction,
  atMost: number,
): Promise<(PricePlan & { environments: number })[]> {
  const { rows } = await tx.query<PlanRow>(
    `select p.*, (select count(*)::int from kelpie.partner_environments e where e.price_plan = p.id) as environments
     from kelpie.price_plans p order by p.created_at desc, p.id limit $1`,
    [atMost],
  );
  return rows.map((row) => ({
    id: row.id,
    fixedPence: BigInt(row.fixed_pence),
    basisPoints: BigInt(row.basis_points),
    bankFixedPence: BigInt(row.bank_fixed_pence),
    bankBasisPoints: BigInt(row.bank_basis_points),
    monthlyPence: BigInt(row.monthly_pence),
    verificationPence: BigInt(row.verification_pence),
    networkMarkupBasisPoints: BigInt(row.network_markup_basis_points),
    exceptionMarkupBasisPoints: BigInt(row.exception_markup_basis_points),
    environments: row.environments,
  }));
}

/** Returns false if the id is taken. The database refuses it unless this transaction has recorded the act. */
export async function createPricePlan(tx: Transaction, plan: PricePlan, at: Date): Promise<boolean> {
  const { rows } = await tx.query<{ made: boolean }>(
    'select kelpie.operator_create_price_plan($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) as made',
    [
      plan.id,
      plan.fixedPence,
      plan.basisPoints,
      plan.bankFixedPence,
      plan.bankBasisPoints,
      plan.monthlyPence,
      plan.verificationPence,
      plan.networkMarkupBasisPoints,
      plan.exceptionMarkupBasisPoints,
      at,
    ],
  );
  return rows[0]?.made ?? false;
}
