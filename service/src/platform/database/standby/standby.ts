// Reads that a standby answers in the primary's place, and never with less than the primary has confirmed.
import type { PoolClient } from 'pg';
import type { Logger } from '../../logging.ts';
import type { Meter } from '../../metrics.ts';
import { databaseStateOf, isConnectionUsable } from '../database-state.ts';
import type { Pool } from '../pool.ts';
import { isStale } from '../single-call.ts';
import { createPause } from './pause.ts';
import type { LogPosition } from './position.ts';

export interface Standby {
  /**
   * Does the work on a standby that has replayed everything that was confirmed before. Null where the primary has to be asked
   * instead, for whatever reason: what only reads can be done twice.
   */
  ask<Result>(work: (client: PoolClient) => Promise<Result>, withinMs: number): Promise<{ result: Result } | null>;
}

interface StandbyDeps {
  pool: Pool;
  findPosition: () => Promise<LogPosition>;
  logger: Logger;
  meter: Meter;
}

/** Why the standby did not answer. `stopped`: the statement failed or took too long, which says nothing of others. */
type Failure = 'behind' | 'elsewhere' | 'unavailable' | 'stopped';
const outcomes = ['answered', 'behind', 'elsewhere', 'unavailable', 'stopped', 'paused'] as const;

/** A standby near its primary needs a few milliseconds. Nobody waits longer than this before the primary is asked. */
const longestWaitMs = 100;
/** A server that hangs says nothing at all. */
const checkedWithinMs = 400;
/** For so long it is not asked again. */
const pauseMs = { behind: 1_000, elsewhere: 5_000, unavailable: 5_000, stopped: 0 } as const;

const check = { name: 'await_replay', text: 'select kelpie.await_replay($1, $2, $3, $4) as outcome' };

async function checkReplay(client: PoolClient, { database, timeline, position }: LogPosition) {
  const { rows } = await client.query<{ outcome: 'replayed' | 'behind' | 'elsewhere' }>({
    ...check,
    values: [database, timeline, position, longestWaitMs],
  });
  return rows[0]?.outcome ?? 'elsewhere';
}

class TooLate extends Error {}

async function within<Result>(work: Promise<Result>, withinMs: number): Promise<Result> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new TooLate()), withinMs);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** States of the database that concern one statement, or our own connections. */
const ofOneStatement = new Set(['database_busy', 'database_connections_in_use', 'database_read_only', undefined]);

function failureOf(error: unknown, isChecked: boolean): Failure {
  if (error instanceof TooLate) return isChecked ? 'stopped' : 'unavailable';
  return ofOneStatement.has(databaseStateOf(error)) ? 'stopped' : 'unavailable';
}

type Answer<Result> = { result: Result } | { failure: Failure; error?: unknown };

async function askFresh<Result>(
  { pool, findPosition }: Pick<StandbyDeps, 'pool' | 'findPosition'>,
  work: (client: PoolClient) => Promise<Result>,
  withinMs: number,
): Promise<Answer<Result>> {
  let client: PoolClient | undefined;
  let isChecked = false;
  let broken = true;
  try {
    const position = await findPosition();
    client = await pool.connect();
    const outcome = await within(checkReplay(client, position), checkedWithinMs);
    isChecked = true;
    if (outcome !== 'replayed') {
      broken = false;
      return { failure: outcome };
    }
    // A statement of its own, after the check: its snapshot has what was replayed by then.
    const result = await within(work(client), withinMs);
    broken = false;
    return { result };
  } catch (error) {
    broken = !isConnectionUsable(error) || isStale(error);
    return { failure: failureOf(error, isChecked), error };
  } finally {
    client?.release(broken);
  }
}

export function createStandby(deps: StandbyDeps): Standby {
  const { logger, meter } = deps;
  const pause = createPause();
  const reads = meter.createCounter('kelpie_standby_reads_total', {
    description: 'Reads for the standby, and why it did not answer one',
  });
  for (const outcome of outcomes) reads.add(0, { outcome });
  return {
    async ask(work, withinMs) {
      if (!pause.begin()) {
        reads.add(1, { outcome: 'paused' });
        return null;
      }
      const answer = await askFresh(deps, work, withinMs);
      if ('result' in answer) {
        if (pause.isDown()) logger.info({}, 'standby.reads_resumed');
        pause.answered();
        reads.add(1, { outcome: 'answered' });
        return answer;
      }
      const { failure, error } = answer;
      const wasDown = pause.isDown();
      pause.failed(pauseMs[failure]);
      if (pause.isDown() && !wasDown) logger.warn({ error_code: failure, error }, 'standby.reads_paused');
      reads.add(1, { outcome: failure });
      return null;
    },
  };
}
