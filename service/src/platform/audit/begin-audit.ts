import type { Transaction } from '../database/transaction.ts';
import { OperatorError } from '../operator-error.ts';
import { beginAction, endOf, type Anchor } from './chain.ts';
import { lockHead } from './store.ts';
import { addRow, type AuditDeps, type WrittenAct } from './write-act.ts';

interface Beginning {
  operator: string;
  reason: string;
  /** The last entry of a broken log to continue from; null for the first entry. */
  after: Anchor | null;
}

/**
 * Writes the first entry of the log, which only the key's holder can do: an emptied log can't pass as a new one. Or continues
 * a log whose end was not written with this key. `verifyAudit` then reports the break for ever.
 */
export async function beginAudit(
  tx: Transaction,
  deps: AuditDeps,
  { operator, reason, after }: Beginning,
): Promise<WrittenAct> {
  const head = await lockHead(tx, deps.voucher);
  const end = endOf(deps.chain, head);
  if (end === 'own')
    throw new OperatorError('The audit log is already started and its end is intact.', 'nothing_to_do');
  if (end === 'none' && after !== null) throw new OperatorError('The audit log is empty. Leave out --after.');
  const found = `${head.seq}:${head.mac.toString('hex')}`;
  const named = after === null ? null : `${after.seq}:${after.mac}`;
  if (end === 'foreign' && named !== found)
    throw new OperatorError(
      `The audit log ends with ${found}, which was not written with this KELPIE_AUDIT_KEY. Find out why, then use --after with that value.`,
      'audit_broken',
    );
  const act = { operator, action: beginAction, subject: 'log', detail: { reason, after: named } };
  return addRow(tx, deps, { head, act });
}
