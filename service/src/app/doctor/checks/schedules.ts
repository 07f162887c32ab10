import { duration } from '../../../platform/duration.ts';
import { longestPauseMinutes } from '../schedule-pause.ts';
import { read, type DoctorDeps } from '../deps.ts';
import { ok, problem, type Check } from '../finding.ts';

interface ScheduleRow {
  name: string;
  cron: string;
  /** Since its last success, or since it was scheduled where there is none. */
  seconds: number;
}

/** By the database's clock, which the job engine uses too. */
const sql = `select s.name, s.cron,
    extract(epoch from now() - coalesce(max(j.completed_on), s.created_on))::float8 as seconds
  from pgboss.schedule s left join pgboss.job j on j.name = s.name and j.state = 'completed'
  group by s.name, s.key, s.cron, s.created_on order by s.name`;

/** Each scheduled job succeeded since it was last due, with time for a retry. */
export function checkSchedules(deps: DoctorDeps): Check {
  return {
    name: 'schedules',
    async run() {
      const { rows } = await read(deps, async (tx) => tx.query<ScheduleRow>(sql));
      if (rows.length === 0) return [problem('The database has no schedules. Run kelpie-admin migrate.')];
      const late = rows.filter(({ cron, seconds }) => seconds > longestPauseMinutes(cron) * 60);
      if (late.length === 0) return [ok(`All ${rows.length} schedules succeeded on time.`)];
      return late.map(({ name, seconds }) =>
        problem(
          `${name} has not succeeded for ${duration(seconds)}. Check that a worker runs, then kelpie-admin jobs list --queue ${name}.`,
        ),
      );
    },
  };
}
