import type { ElectedTransaction } from '../../platform/database/elected-reader.ts';
import { lateMs } from '../../platform/jobs/schedule-times.ts';
import type { Figure } from './figures.ts';

/** A run that takes longer says so itself: its queue may. */
const usuallyTakesMs = 5 * 60_000;
const usualExpiryMs = 15 * 60_000;
/** Jobs that ended are kept so long. */
const keptMs = 7 * 24 * 60 * 60_000;

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
  from pgboss.schedule s join pgboss.queue q on q.name = s.name`;

function late({
  schedule,
  created_at: createdAt,
  succeeded_at: succeededAt,
  expire_seconds,
  now,
}: ScheduleRow): number {
  const expiryMs = expire_seconds * 1_000;
  const oldestKept = new Date(Math.max(createdAt.getTime(), now.getTime() - keptMs));
  const mayTakeMs = expiryMs > usualExpiryMs ? expiryMs : usuallyTakesMs;
  return lateMs({ schedule, succeededAt: succeededAt ?? oldestKept, mayTakeMs }, now);
}

export async function listScheduleFigures(tx: ElectedTransaction): Promise<Figure[]> {
  const { rows } = await tx.query<ScheduleRow>(schedulesSql);
  return rows.flatMap((row): Figure[] => {
    const labels = { queue: row.queue };
    return [
      {
        gauge: 'kelpie_schedule_success_timestamp_seconds',
        value: (row.succeeded_at?.getTime() ?? 0) / 1_000,
        labels,
      },
      { gauge: 'kelpie_schedule_late_seconds', value: late(row) / 1_000, labels },
    ];
  });
}
