import { createMicroBatch } from '../../micro-batch.ts';
import { wasUndone, type Call, type SingleCalls } from '../single-call.ts';
import { tooBusy } from '../too-busy.ts';

/** A place in the primary's write-ahead log. */
export interface LogPosition {
  /** The server and the database in it: a position says nothing of another. */
  database: string;
  timeline: number;
  position: string;
}

/**
 * A commit that waits for its disk is confirmed only after it was flushed, so this covers every commit that anybody was told of.
 * What commits without waiting, such as activity, may be flushed up to 600 ms later.
 */
const positionCall: Call = {
  name: 'log_position',
  text: `select (pg_control_system()).system_identifier || '/' || current_database() as database,
      ('x' || left(pg_walfile_name(flushed), 8))::bit(32)::integer as timeline, flushed::text as position
    from pg_current_wal_flush_lsn() as flushed`,
};

const mostAtOnce = 1_024;

/** Asks the primary how far it is, once for all who ask meanwhile. Each gets a position from after it asked. */
export function createPositionReader(primary: SingleCalls): () => Promise<LogPosition> {
  const ask = createMicroBatch<null, LogPosition>({
    name: 'log_positions',
    size: mostAtOnce,
    keyOf: null,
    eager: false,
    async together(asked) {
      const [position] = await primary.call<LogPosition>(positionCall, []);
      if (position === undefined) throw new Error('the database returned no row');
      return asked.map(() => position);
    },
    didNothing: wasUndone,
    tooMany: tooBusy,
  });
  return async () => ask(null);
}
