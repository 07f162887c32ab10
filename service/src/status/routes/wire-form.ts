import type { Incident } from '../record.ts';
import type { StatusReport } from '../report.ts';
import { componentNames } from './words.ts';

function iso(text: string): string {
  return new Date(text).toISOString();
}

function shownIncident({ id, title, impact, components, opened_at, resolved_at, updates }: Incident) {
  return {
    id,
    title,
    impact,
    components,
    opened_at: iso(opened_at),
    resolved_at: resolved_at === null ? null : iso(resolved_at),
    updates: updates.map(({ at, text }) => ({ at: iso(at), text })),
  };
}

/** The page for programs. */
export function renderJson({ level, readAt, isCurrent, components, open, past }: StatusReport, at: Date): string {
  return JSON.stringify({
    status: level,
    checked_at: at.toISOString(),
    is_current: isCurrent,
    data_from: readAt?.toISOString() ?? null,
    components: components.map((one) => ({
      id: one.component,
      name: componentNames[one.component].name,
      status: one.level,
      note: one.note,
      uptime_percent: one.uptime,
      days: one.days.flatMap(({ day, minutes }) =>
        minutes === null
          ? []
          : {
              date: day,
              minutes: minutes.minutes,
              outage: minutes.outage,
              degraded: minutes.degraded,
              maintenance: minutes.maintenance,
            },
      ),
    })),
    incidents: [...open, ...past].map(shownIncident),
  });
}
