import type { ElectedTransaction } from '../../platform/database/elected-reader.ts';
import { listSchedules } from '../../platform/jobs/list-schedules.ts';
import type { Figure } from './figures.ts';

export async function listScheduleFigures(tx: ElectedTransaction): Promise<Figure[]> {
  const schedules = await listSchedules(tx);
  return schedules.flatMap(({ queue, succeededAt, lateMs }): Figure[] => {
    const labels = { queue };
    return [
      { gauge: 'kelpie_schedule_success_timestamp_seconds', value: (succeededAt?.getTime() ?? 0) / 1_000, labels },
      { gauge: 'kelpie_schedule_late_seconds', value: lateMs / 1_000, labels },
    ];
  });
}
