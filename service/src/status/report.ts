import { components, worstOf, type Component, type Level } from './components.ts';
import type { Judged } from './judge.ts';
import type { Day, Incident, StatusRecord } from './record.ts';

const shownDays = 90;
const dayMs = 24 * 60 * 60 * 1_000;

export interface ReportedDay {
  /** As in 2026-11-18, in UTC. */
  day: string;
  /** Null where nothing was recorded. */
  minutes: Omit<Day, 'day' | 'component'> | null;
}

export interface ReportedComponent extends Judged {
  component: Component;
  /** The oldest first, today last. */
  days: readonly ReportedDay[];
  /** Percent with two decimals. Null where nothing was recorded. */
  uptime: string | null;
}

/** What the status page says. */
export interface StatusReport {
  level: Level;
  /** When the database was last read; null if never. */
  readAt: Date | null;
  /** Whether what is shown of the database is of the last seconds. */
  isCurrent: boolean;
  components: readonly ReportedComponent[];
  open: readonly Incident[];
  past: readonly Incident[];
}

/** Only outages lower it. It is rounded down: with any outage it is below 100. */
function uptimeOf(days: readonly Pick<Day, 'minutes' | 'outage'>[]): string | null {
  const minutes = days.reduce((sum, day) => sum + day.minutes, 0);
  const outage = days.reduce((sum, day) => sum + day.outage, 0);
  return minutes === 0 ? null : (Math.floor(((minutes - outage) / minutes) * 10_000) / 100).toFixed(2);
}

function lastDays(at: Date): string[] {
  return Array.from({ length: shownDays }, (_, index) =>
    new Date(at.getTime() - (shownDays - 1 - index) * dayMs).toISOString().slice(0, 10),
  );
}

interface Known {
  at: Date;
  judged: Readonly<Record<Component, Judged>>;
  record: StatusRecord | null;
  readAt: Date | null;
  isCurrent: boolean;
}

export function createReport({ at, judged, record, readAt, isCurrent }: Known): StatusReport {
  const days = lastDays(at);
  const recorded = new Map(record?.days.map((day) => [`${day.component} ${day.day}`, day]));
  const incidents = record?.incidents ?? [];
  return {
    level: worstOf(components.map((component) => judged[component].level)),
    readAt,
    isCurrent,
    components: components.map((component) => {
      const found = days.map((day) => ({ day, minutes: recorded.get(`${component} ${day}`) ?? null }));
      const uptime = uptimeOf(found.flatMap(({ minutes }) => minutes ?? []));
      const { level, note } = judged[component];
      return { component, level, note, days: found, uptime };
    }),
    open: incidents.filter(({ resolved_at }) => resolved_at === null),
    past: incidents.filter(({ resolved_at }) => resolved_at !== null),
  };
}
