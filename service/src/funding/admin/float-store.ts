import type { MicroUsdc } from '../../money/amounts.ts';
import type { Transaction } from '../../platform/database/transaction.ts';
import { nilId } from '../../platform/ids.ts';

// Operators' queries of the house float, as kelpie_reader.

/** What the house has put into partners' bank wallets, and what the last days cost. */
export interface FloatSummary {
  environment: string;
  /** Below zero where more was swept than topped up. */
  placedMicroUsdc: MicroUsdc;
  inTransitMicroUsdc: MicroUsdc;
  /** Of the newest day on which there was any. */
  lossMicroUsdc: MicroUsdc;
  lossOn: string | null;
}

export async function listFloatSummaries(tx: Transaction): Promise<FloatSummary[]> {
  const { rows } = await tx.query<{
    environment: string;
    placed: string;
    in_transit: string;
    loss: string;
    on_day: string | null;
  }>(
    `select e.environment, coalesce(-sum(h.amount) filter (where h.account = 'house_float'), 0) as placed,
       coalesce(sum(h.amount) filter (where h.account = 'float_in_transit'), 0) as in_transit,
       coalesce(max(l.loss_micro_usdc), 0) as loss, max(l.on_day)::text as on_day
     from unnest(enum_range(null::kelpie.environment)) as e (environment)
     left join (
       select environment, account, sum_micro_usdc as amount from kelpie.house_sums
       union all select environment, account, amount from kelpie.house_changes
     ) h on h.environment = e.environment
     left join lateral (
       select d.loss_micro_usdc, d.on_day from kelpie.daily_losses d where d.environment = e.environment
       order by d.on_day desc limit 1
     ) l on true
     group by e.environment order by e.environment desc`,
  );
  return rows.map((row) => ({
    environment: row.environment,
    placedMicroUsdc: BigInt(row.placed),
    inTransitMicroUsdc: BigInt(row.in_transit),
    lossMicroUsdc: BigInt(row.loss),
    lossOn: row.on_day,
  }));
}

export interface UncoveredPartner {
  partner: string;
  environment: string;
  lacksMicroUsdc: MicroUsdc;
}

const mostUncovered = 500;

/** Partners whose money at the bank, and on its way there, is less than what they have. */
export async function listUncoveredPartners(tx: Transaction): Promise<UncoveredPartner[]> {
  const { rows } = await tx.query<{ slug: string; environment: string; lacks: string }>(
    `select p.slug, u.environment::text, u.lacks_micro_usdc as lacks
     from kelpie.list_uncovered_wallets($1, $2) u join kelpie.partners p on p.id = u.partner_id order by p.slug, 2`,
    [nilId, mostUncovered],
  );
  return rows.map((row) => ({
    partner: row.slug,
    environment: row.environment,
    lacksMicroUsdc: BigInt(row.lacks),
  }));
}

/** The newest moves, those that are open first. */
export interface AdminFloatMove {
  id: string;
  partner: string;
  environment: string;
  kind: string;
  amountMicroUsdc: MicroUsdc;
  state: string;
  bankState: string | null;
  createdAt: Date;
}

export async function listFloatMoves(tx: Transaction, atMost: number): Promise<AdminFloatMove[]> {
  const { rows } = await tx.query<{
    id: string;
    slug: string;
    environment: string;
    kind: string;
    amount: string;
    state: string;
    bank_state: string | null;
    created_at: Date;
  }>(
    `select m.id, p.slug, m.environment::text, m.kind, m.amount_micro_usdc as amount, m.state, m.bank_state, m.created_at
     from kelpie.float_moves m join kelpie.partners p on p.id = m.partner_id
     order by m.state = 'open' desc, m.created_at desc, m.id limit $1`,
    [atMost],
  );
  return rows.map((row) => ({
    id: row.id,
    partner: row.slug,
    environment: row.environment,
    kind: row.kind,
    amountMicroUsdc: BigInt(row.amount),
    state: row.state,
    bankState: row.bank_state,
    createdAt: row.created_at,
  }));
}
