import { raisedBy } from '../../platform/database/single-call.ts';
import { sqlStates } from '../../platform/database/sql-states.ts';
import { OperatorError } from '../../platform/operator-error.ts';
import type { Transaction } from '../../platform/database/transaction.ts';

interface AdminRecovery {
  id: string;
  beganAt: Date;
  begunBy: string;
  reason: string;
  lostSince: Date | null;
  importedAt: Date | null;
}

interface RecoveryRow {
  id: string;
  began_at: Date;
  begun_by: string;
  reason: string;
  lost_since: Date | null;
  imported_at: Date | null;
}

export interface RecoveryStanding {
  heartbeat: { number: bigint; at: Date | null };
  /** Null where live is not closed for one. */
  recovery: AdminRecovery | null;
}

/** Runs as kelpie_reader. */
export async function readRecovery(tx: Transaction): Promise<RecoveryStanding> {
  const beats = await tx.query<{ number: string; at: Date | null }>('select number, at from kelpie.heartbeat');
  const { rows } = await tx.query<RecoveryRow>(
    `select id, began_at, begun_by, reason, lost_since, imported_at from kelpie.recoveries where opened_at is null`,
  );
  const [beat] = beats.rows;
  const [row] = rows;
  if (beat === undefined) throw new Error('the database has no heartbeat');
  return {
    heartbeat: { number: BigInt(beat.number), at: beat.at },
    recovery:
      row === undefined
        ? null
        : {
            id: row.id,
            beganAt: row.began_at,
            begunBy: row.begun_by,
            reason: row.reason,
            lostSince: row.lost_since,
            importedAt: row.imported_at,
          },
  };
}

/** The database refuses it unless this transaction has recorded a `recovery.begin`. Returns the database's heartbeat. */
export async function beginRecovery(tx: Transaction, reason: string, at: Date): Promise<bigint> {
  const { rows } = await tx.query<{ number: string }>('select kelpie.operator_begin_recovery($1, $2) as number', [
    reason,
    at,
  ]);
  return BigInt(rows[0]?.number ?? 0);
}

/** The database refuses it unless this transaction has recorded the approval of its proposal. */
export async function openRecovery(
  tx: Transaction,
  { proposalId, recoveryId, anchored, at }: { proposalId: string; recoveryId: string; anchored: bigint; at: Date },
): Promise<void> {
  const values = [proposalId, recoveryId, anchored.toString(), at];
  await tx.query('select kelpie.operator_open_recovery($1, $2, $3, $4)', values).catch((error: unknown) => {
    throw refusals[raisedBy(error)?.code ?? ''] ?? error;
  });
}

const refusals: Readonly<Record<string, OperatorError>> = {
  [sqlStates.recoveryNotImported]: new OperatorError(
    'The recovery is not imported. Run `kelpie-admin recovery import` until nothing is missing. Nothing changed.',
    'recovery_not_imported',
  ),
  [sqlStates.recoveryUnsettled]: new OperatorError(
    'The outcome of a payout from before the recovery is unknown. Run `kelpie-admin recovery import` again. Nothing changed.',
    'recovery_not_imported',
  ),
};
