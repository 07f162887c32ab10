import type { Transaction } from '../database/transaction.ts';
import type { Replay } from './wal-position.ts';

export interface RestoredState extends Replay {
  /** When the newest commit was made that the copy has: a transaction's, or the heartbeat's. Null where it has neither. */
  newestCommitAt: Date | null;
  heartbeat: bigint;
}

interface StateRow {
  position: string;
  new_timeline: number;
  segment_bytes: string;
  committed_at: Date | null;
  heartbeat_at: Date | null;
  heartbeat: string;
}

function latestOf(...instants: readonly (Date | null)[]): Date | null {
  const known = instants.filter((each) => each !== null).map((each) => each.getTime());
  return known.length === 0 ? null : new Date(Math.max(...known));
}

/** Of a server that has ended its recovery. It still knows what it replayed last. */
export async function readRestoredState(tx: Transaction): Promise<RestoredState> {
  const { rows } = await tx.query<StateRow>(
    `select (pg_last_wal_replay_lsn() - '0/0'::pg_lsn)::text as position,
       ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int as new_timeline,
       pg_size_bytes(current_setting('wal_segment_size'))::text as segment_bytes,
       pg_last_xact_replay_timestamp() as committed_at, number as heartbeat, at as heartbeat_at
     from kelpie.heartbeat`,
  );
  const [row] = rows;
  if (row === undefined) throw new Error('the database has no heartbeat');
  return {
    position: BigInt(row.position),
    newTimeline: row.new_timeline,
    segmentBytes: BigInt(row.segment_bytes),
    newestCommitAt: latestOf(row.committed_at, row.heartbeat_at),
    heartbeat: BigInt(row.heartbeat),
  };
}
