import type { Call, SingleCalls } from '../../platform/database/single-call.ts';

/** A recovery that is in progress. */
export interface Recovery {
  id: string;
  beganAt: Date;
  /** The last instant of which the database has everything. Null where that is not known. */
  lostSince: Date | null;
}

const findCall: Call = {
  name: 'find_recovery',
  text: 'select id, began_at, lost_since from kelpie.recoveries where opened_at is null',
};
const finishCall: Call = { name: 'finish_import', text: 'select kelpie.finish_import($1, $2)', writes: true };

export async function findRecovery(calls: SingleCalls): Promise<Recovery | null> {
  const [row] = await calls.call<{ id: string; began_at: Date; lost_since: Date | null }>(findCall, []);
  return row === undefined ? null : { id: row.id, beganAt: row.began_at, lostSince: row.lost_since };
}

export async function finishImport(calls: SingleCalls, recoveryId: string, at: Date): Promise<void> {
  await calls.call(finishCall, [recoveryId, at]);
}
