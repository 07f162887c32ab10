import { ledgerEvents, postTransfers } from '../../ledger/index.ts';
import type { EnvironmentAtBank } from '../../partners/index.ts';
import { inTransaction } from '../../platform/database/transaction.ts';
import { newId } from '../../platform/ids.ts';
import type { FloatDeps } from './deps.ts';
import { dayMs, decideMove, type PlannedMove } from './float-policy.ts';
import { insertMove, lockFloat, readPosition } from './store.ts';

/**
 * Decides on a move and writes it down, with its booking, in one commit. The bank is asked after it: whoever finds the move
 * then, this process or another, asks for the same one. Says what was begun; null where nothing was.
 */
export async function beginMove(deps: FloatDeps, at: EnvironmentAtBank): Promise<PlannedMove | null> {
  const { pool, clock, logger } = deps;
  const { partnerId, environment } = at;
  const now = clock.now();
  const decided = await inTransaction(pool, { partnerId, environment }, async (tx) => {
    const toppedUp = await lockFloat(tx, at, new Date(now.getTime() - dayMs));
    const decision = decideMove(await readPosition(tx, at), toppedUp);
    if (decision.kind !== 'move') return decision;
    const { move } = decision;
    const [id, transferId] = [newId(clock), newId(clock)];
    if (!(await insertMove(tx, { ...move, partnerId, environment, id, transferId, at: now }))) return null;
    const lines = ledgerEvents.floatBegun(move);
    const reason = `float.${move.kind}`;
    await postTransfers(tx, [{ partnerId, environment, id: transferId, reason, causeId: id, lines }]);
    return decision;
  });
  const line = { partner_id: partnerId, environment };
  // An alarm once: the wallet stays short until tomorrow, or until the limit is raised.
  if (decided?.kind === 'move' && decided.isCut) logger.error(line, 'float.limit_reached');
  if (decided?.kind === 'spent') logger.warn(line, 'float.limit_reached');
  return decided?.kind === 'move' ? decided.move : null;
}
