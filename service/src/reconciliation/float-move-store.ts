import type { Transaction } from '../platform/database/transaction.ts';
import { isUuid } from '../platform/ids.ts';
import type { OurFloatMove } from './compare-float-move.ts';

interface MoveRow {
  id: string;
  kind: OurFloatMove['kind'];
  state: OurFloatMove['state'];
  amount_micro_usdc: string;
  bank_payment_id: string | null;
  finished_at: Date | null;
}

const columns = 'id, kind, state, amount_micro_usdc, bank_payment_id, finished_at';

function moveFrom(row: MoveRow): OurFloatMove {
  const { id, kind, state, finished_at: finishedAt, bank_payment_id: paymentId } = row;
  return { id, kind, state, amount: BigInt(row.amount_micro_usdc), paymentId, finishedAt };
}

/** Null where it is no move of this partner's. */
export async function findFloatMove(tx: Transaction, id: string): Promise<OurFloatMove | null> {
  if (!isUuid(id)) return null;
  const { rows } = await tx.query<MoveRow>(`select ${columns} from kelpie.float_moves where id = $1`, [id]);
  return rows[0] === undefined ? null : moveFrom(rows[0]);
}

/** A partner environment has one at most. */
export async function findOpenFloatMove(tx: Transaction): Promise<OurFloatMove | null> {
  const { rows } = await tx.query<MoveRow>(`select ${columns} from kelpie.float_moves where state = 'open' limit 1`);
  return rows[0] === undefined ? null : moveFrom(rows[0]);
}
