import { settings } from '../../../platform/configuration/settings.ts';
import { listMissingPartitions } from '../../../platform/database/month-partitions.ts';
import type { DoctorDeps } from '../deps.ts';
import { NotChecked, ok, problem, warning, type Check } from '../finding.ts';

/** What the worker keeps ready. */
const monthsAhead = 3;
const soonDays = 31;
const dayMs = 24 * 60 * 60_000;

export function checkPartitions({ reader, clock }: DoctorDeps): Check {
  return {
    name: 'partitions',
    async run() {
      if (reader === null) throw new NotChecked(`${settings.readerDatabaseUrl.variable} is not set.`);
      const now = clock.now();
      const missing = await listMissingPartitions(reader, now, monthsAhead);
      const [first] = missing.toSorted((one, other) => one.month_start.getTime() - other.month_start.getTime());
      if (first === undefined) return [ok(`Every table has its partitions for ${monthsAhead} months ahead.`)];
      const todo = 'Run kelpie-admin migrate, and find out why the job month-partitions failed';
      const message = `Partitions missing: ${missing.length}, the first for ${first.month_start.toISOString().slice(0, 7)}. ${todo}.`;
      const isSoon = first.month_start.getTime() - now.getTime() < soonDays * dayMs;
      return [isSoon ? problem(message) : warning(message)];
    },
  };
}
