import { duration } from '../../../platform/duration.ts';
import { listSchedules } from '../../../platform/jobs/list-schedules.ts';
import { read, type DoctorDeps } from '../deps.ts';
import { ok, problem, type Check } from '../finding.ts';

/** Each scheduled job succeeded since it was last due, with time for its work. */
export function checkSchedules(deps: DoctorDeps): Check {
  return {
    name: 'schedules',
    async run() {
      const schedules = await read(deps, listSchedules);
      if (schedules.length === 0) return [problem('The database has no schedules. Run kelpie-admin migrate.')];
      const late = schedules.filter(({ lateMs }) => lateMs > 0);
      if (late.length === 0) return [ok(`All ${schedules.length} schedules succeeded on time.`)];
      return late.map(({ queue, withoutSuccessMs }) =>
        problem(
          `${queue} has not succeeded for ${duration(withoutSuccessMs / 1_000)}. Check that a worker runs, then kelpie-admin jobs list --queue ${queue}.`,
        ),
      );
    },
  };
}
