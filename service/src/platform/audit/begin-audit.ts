import type { Transaction } from '../database/transaction.ts';
import { OperatorError } from '../operator-error.ts';
import { beginAction, endOf, type Anchor } from './chain.ts';
import { lockHead } from './store.ts';
import { addRow, type AuditDeps, type WrittenAct } from './write-act.ts';

interface Beginning {
  operator: string;
  reason: string;
  /** The end that is not ours, and that the log is to go on from all the same; null for the first row. */
  after: Anchor | null;
}

/**
 * Writes the log's first row. A log without one is new or was emptied, and nobody without the key can tell the one as the
 * other. Or takes up a log whose end was not written with this key: what is wrong with it stays, and the row that took it up
 * is found for ever, too.
 */
export async function beginAudit(
  tx: Transaction,
  deps: AuditDeps,
  { operator, reason, after }: Beginning,
): Promise<WrittenAct> {
  const head = await lockHead(tx, deps.voucher);
  const end = endOf(deps.chain, head);
  if (end === 'own') throw new OperatorError('The log is begun, and ends as it should: act as usual.', 'nothing_to_do');
  if (end === 'none' && after !== null) throw new OperatorError('The log has no row yet: leave out --after.');
  const found = `${head.seq}:${head.mac.toString('hex')}`;
  const named = after === null ? null : `${after.seq}:${after.mac}`;
  if (end === 'foreign' && named !== found)
    throw new OperatorError(
      `The log ends with ${found}, which was not written with this KELPIE_AUDIT_KEY. Find out why first (docs/operating.md); then say --after with just that.`,
      'audit_broken',
    );
  const act = { operator, action: beginAction, subject: 'log', detail: { reason, after: named } };
  return addRow(tx, deps, { head, act });
}
