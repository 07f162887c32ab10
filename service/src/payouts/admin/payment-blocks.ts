import type { PartnerContext, Transaction } from '../../platform/database/transaction.ts';
import type { Payout } from '../model/payout.ts';

/** A block in force. It covers a rail, or a partner in one environment or both. */
export interface PaymentBlockRow {
  id: string;
  cause: string;
  rail: Payout['rail'] | null;
  /** The partner's slug. */
  partner: string | null;
  environment: PartnerContext['environment'] | null;
  since: Date;
  by: string;
  reason: string;
}

const select = `select b.id, b.cause, b.rail, p.slug as partner, b.environment, b.since, b.by, b.reason
  from kelpie.payment_blocks b left join kelpie.partners p on p.id = b.partner_id`;

/** Rails first, then the newest. A null partner matches all. Runs as kelpie_reader. */
export async function listPaymentBlocks(
  tx: Transaction,
  { partnerId, atMost }: { partnerId: string | null; atMost: number },
): Promise<PaymentBlockRow[]> {
  const { rows } = await tx.query<PaymentBlockRow>(
    `${select} where $1::uuid is null or b.partner_id = $1 or b.rail is not null
     order by b.rail nulls last, b.since desc, b.id limit $2`,
    [partnerId, atMost],
  );
  return rows;
}

/** Runs as kelpie_reader. */
export async function findBlock(tx: Transaction, id: string): Promise<PaymentBlockRow | null> {
  const { rows } = await tx.query<PaymentBlockRow>(`${select} where b.id = $1`, [id]);
  return rows[0] ?? null;
}

export interface NewBlock {
  cause: string;
  rail: Payout['rail'] | null;
  partnerId: string | null;
  environment: PartnerContext['environment'] | null;
  reason: string;
  at: Date;
}

/** Returns null if that cause blocks them already. The database refuses it unless this transaction has recorded the act. */
export async function blockPayments(tx: Transaction, block: NewBlock): Promise<string | null> {
  const { rows } = await tx.query<{ id: string | null }>(
    'select kelpie.operator_block_payments($1, $2, $3, $4, $5, $6) as id',
    [block.cause, block.rail, block.partnerId, block.environment, block.reason, block.at],
  );
  return rows[0]?.id ?? null;
}

/** Returns false if it is no longer in force. The database refuses it unless another operator proposed it. */
export async function liftBlock(
  tx: Transaction,
  { id, proposalId, at }: { id: string; proposalId: string; at: Date },
): Promise<boolean> {
  const { rows } = await tx.query<{ lifted: boolean }>('select kelpie.operator_lift_block($1, $2, $3) as lifted', [
    proposalId,
    id,
    at,
  ]);
  return rows[0]?.lifted ?? false;
}

/** Returns false if live is frozen already. The database refuses it unless this transaction has recorded the act. */
export async function freezePartner(
  tx: Transaction,
  { partnerId, reason, at }: { partnerId: string; reason: string; at: Date },
): Promise<boolean> {
  const { rows } = await tx.query<{ frozen: boolean }>('select kelpie.operator_freeze_partner($1, $2, $3) as frozen', [
    partnerId,
    reason,
    at,
  ]);
  return rows[0]?.frozen ?? false;
}

/** Returns false if it is not frozen. The database refuses it unless another operator proposed it. */
export async function unfreezePartner(
  tx: Transaction,
  { partnerId, proposalId, at }: { partnerId: string; proposalId: string; at: Date },
): Promise<boolean> {
  const { rows } = await tx.query<{ lifted: boolean }>(
    'select kelpie.operator_unfreeze_partner($1, $2, $3) as lifted',
    [proposalId, partnerId, at],
  );
  return rows[0]?.lifted ?? false;
}
