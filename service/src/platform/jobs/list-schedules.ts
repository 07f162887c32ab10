import type { Transaction } from '../database/transaction.ts';
import { lateMs } from './schedule-times.ts';

/** A run that takes longer says so itself: its queue may. */
const usuallyTakesMs = 5 * 60_000;
const usualExpiryMs = 15 * 60_000;
/** Jobs that ended are kept so long. */
const keptMs = 7 * 24 * 60 * 60_000;

export interface ScheduleState {
  queue: string;
  /** Null where none is kept. */
  succeededAt: Date | null;
  /** Since its last success, or since it was scheduled. */
  withoutSuccessMs: number;
  /** How long ago its next run should have succeeded; 0 before that. */
  lateMs: number;
}

interface ScheduleRow {
  queue: string;
  schedule: string;
  created_at: Date;
  succeeded_at: Date | null;
  expire_seconds: number;
  now: Date;
}

/** By the clock of the database, which is the job engine's. */
const schedulesSql = `
  select s.name as queue, s.cron as schedule, s.created_on as created_at, q.expire_seconds, now() as now, (
    select max(j.completed_on) from pgboss.job j where j.name = s.name and j.state = 'completed'
  ) as succeeded_at
  from pgboss.schedule s join pgboss.queue q on q.name = s.name order by s.name`;

function describe({ queue, schedule, now, ...row }: ScheduleRow): ScheduleState {
  const oldestKept = new Date(Math.max(row.created_at.getTime(), now.getTime() - keptMs));
  const since = row.succeeded_at ?? oldestKept;
  const expiryMs = row.expire_seconds * 1_000;
  const mayTakeMs = expiryMs > usualExpiryMs ? expiryMs : usuallyTakesMs;
  return {
    queue,
    succeededAt: row.succeeded_at,
    withoutSuccessMs: now.getTime() - since.getTime(),
    lateMs: lateMs({ schedule, succeededAt: since, mayTakeMs }, now),
  };
}

/** Every schedule, and whether it is late. */
export async function listSchedules(tx: Pick<Transaction, 'query'>): Promise<ScheduleState[]> {
  const { rows } = await tx.query<ScheduleRow>(schedulesSql);
  return rows.map(describe);
}
