import type { Pence } from '../../money/amounts.ts';
import type { PartnerContext, Transaction } from '../../platform/database/transaction.ts';

/** Returns false where it is as low already. The database refuses it unless this transaction has recorded the act. */
export async function lowerHighestLimit(
  tx: Transaction,
  { partnerId, environment }: PartnerContext,
  to: Pence,
): Promise<boolean> {
  const { rows } = await tx.query<{ is_lowered: boolean }>(
    'select kelpie.operator_lower_limit($1, $2, $3) as is_lowered',
    [partnerId, environment, to],
  );
  return rows[0]?.is_lowered === true;
}

/** Returns false where it moved since it was proposed. The database refuses it unless another operator proposed it. */
export async function raiseHighestLimit(
  tx: Transaction,
  { proposalId, partnerId, at }: { proposalId: string; partnerId: string; at: Date },
): Promise<boolean> {
  const { rows } = await tx.query<{ is_raised: boolean }>(
    'select kelpie.operator_raise_limit($1, $2, $3) as is_raised',
    [proposalId, partnerId, at],
  );
  return rows[0]?.is_raised === true;
}
