import { bigOrNull } from '../../platform/database/big-or-null.ts';
import type { Transaction } from '../../platform/database/transaction.ts';

/** A deposit as operators see it, without its sender. */
export interface AdminDeposit {
  id: string;
  partner: string;
  environment: string;
  method: string;
  state: string;
  bankState: string;
  bankDepositId: string;
  sentPence: bigint | null;
  netMicroUsdc: bigint | null;
  feeMicroUsdc: bigint | null;
  rateMillionths: bigint | null;
  reversedMicroUsdc: bigint | null;
  owedMicroUsdc: bigint;
  repaidMicroUsdc: bigint;
  problem: string | null;
  creditedAt: Date | null;
  updatedAt: Date;
}

interface DepositRow {
  id: string;
  slug: string;
  environment: string;
  method: string;
  state: string;
  bank_state: string;
  bank_deposit_id: string;
  sent_pence: string | null;
  net_micro_usdc: string | null;
  fee_micro_usdc: string | null;
  gbp_per_usd_millionths: string | null;
  reversed_micro_usdc: string | null;
  owed_micro_usdc: string;
  repaid_micro_usdc: string;
  trouble: string | null;
  credited_at: Date | null;
  updated_at: Date;
}

const columns = `d.id, p.slug, d.environment::text, d.method, d.state, d.bank_state, d.bank_deposit_id, d.sent_pence,
  d.net_micro_usdc, d.fee_micro_usdc, d.gbp_per_usd_millionths, d.reversed_micro_usdc, d.owed_micro_usdc,
  d.repaid_micro_usdc, d.trouble, d.credited_at, d.updated_at`;

function depositFrom(row: DepositRow): AdminDeposit {
  return {
    id: row.id,
    partner: row.slug,
    environment: row.environment,
    method: row.method,
    state: row.state,
    bankState: row.bank_state,
    bankDepositId: row.bank_deposit_id,
    sentPence: bigOrNull(row.sent_pence),
    netMicroUsdc: bigOrNull(row.net_micro_usdc),
    feeMicroUsdc: bigOrNull(row.fee_micro_usdc),
    rateMillionths: bigOrNull(row.gbp_per_usd_millionths),
    reversedMicroUsdc: bigOrNull(row.reversed_micro_usdc),
    owedMicroUsdc: BigInt(row.owed_micro_usdc),
    repaidMicroUsdc: BigInt(row.repaid_micro_usdc),
    problem: row.trouble,
    creditedAt: row.credited_at,
    updatedAt: row.updated_at,
  };
}

interface Choice {
  /** A partner's id; null for all. */
  partnerId: string | null;
  status: string | null;
  /** Only those with a problem. */
  needsAttention: boolean;
  atMost: number;
}

/** Newest first. Runs as kelpie_reader. */
export async function listAdminDeposits(tx: Transaction, choice: Choice): Promise<AdminDeposit[]> {
  const { rows } = await tx.query<DepositRow>(
    `select ${columns} from kelpie.deposits d join kelpie.partners p on p.id = d.partner_id
     where ($1::uuid is null or d.partner_id = $1) and ($2::text is null or d.state = $2)
       and (not $3 or d.trouble is not null)
     order by d.id desc limit $4`,
    [choice.partnerId, choice.status, choice.needsAttention, choice.atMost],
  );
  return rows.map(depositFrom);
}

export interface DepositHistoryRow {
  number: number;
  at: Date;
  state: string;
  what: string;
  bank_state: string;
  detail: string | null;
  transfer_id: string | null;
}

/** By our id or the bank's. */
export async function findAdminDeposit(
  tx: Transaction,
  id: string,
): Promise<{ deposit: AdminDeposit; history: DepositHistoryRow[] } | null> {
  const { rows } = await tx.query<DepositRow>(
    `select ${columns} from kelpie.deposits d join kelpie.partners p on p.id = d.partner_id
     where d.id::text = lower($1) or d.bank_deposit_id = $1 limit 1`,
    [id],
  );
  const [row] = rows;
  if (row === undefined) return null;
  const history = await tx.query<DepositHistoryRow>(
    `select number, at, state, what, bank_state, detail, transfer_id from kelpie.deposit_history
     where deposit_id = $1 order by number limit 1000`,
    [row.id],
  );
  return { deposit: depositFrom(row), history: history.rows };
}
