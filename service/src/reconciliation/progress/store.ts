import type { PartnerContext, Transaction } from '../../platform/database/transaction.ts';
import type { TransferProgress } from './transfer-progress.ts';

interface Attempt {
  runId: string;
  attemptId: string;
  at: Date;
}

/** Takes over what an earlier attempt at the same run has left; that one can no longer save. Null where it left nothing. */
export async function takeProgress(
  tx: Transaction,
  { partnerId, environment }: PartnerContext,
  { runId, attemptId, at }: Attempt,
  begin: TransferProgress,
): Promise<TransferProgress> {
  const { rows } = await tx.query<{ state: TransferProgress }>(
    `insert into kelpie.reconciliation_progress as p (partner_id, environment, run_id, attempt_id, state, saved_at)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (partner_id, environment) do update
     set run_id = excluded.run_id, attempt_id = excluded.attempt_id, saved_at = excluded.saved_at,
       state = case when p.run_id = excluded.run_id then p.state else excluded.state end
     returning state`,
    [partnerId, environment, runId, attemptId, JSON.stringify(begin), at],
  );
  return rows[0]?.state ?? begin;
}

/** False where a later attempt has taken over. */
export async function saveProgress(
  tx: Transaction,
  { partnerId, environment }: PartnerContext,
  { attemptId, at }: Omit<Attempt, 'runId'>,
  state: TransferProgress,
): Promise<boolean> {
  // A page that is lost with the server is read again, and no more: nobody has to wait for the standby.
  await tx.query(`select set_config('synchronous_commit', 'off', true)`);
  const { rows } = await tx.query(
    `update kelpie.reconciliation_progress set state = $4, saved_at = $5
     where partner_id = $1 and environment = $2 and attempt_id = $3 returning 1`,
    [partnerId, environment, attemptId, JSON.stringify(state), at],
  );
  return rows.length === 1;
}

/** In the commit that writes what was found. */
export async function endProgress(tx: Transaction, runId: string): Promise<void> {
  await tx.query('delete from kelpie.reconciliation_progress where run_id = $1', [runId]);
}
