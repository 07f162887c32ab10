const minuteMs = 60_000;
const minutesPerDay = 24 * 60;

/** A field of a cron expression: `*`, a step as in every fifth, or one number. No schedule of ours says more. */
function matcherOf(field: string | undefined): (value: number) => boolean {
  const [, star, step, number] = /^(?:(\*)(?:\/(\d{1,2}))?|(\d{1,2}))$/.exec(field ?? '') ?? [];
  if (number !== undefined) return (value) => value === Number(number);
  if (star === undefined) throw new Error(`${field ?? 'nothing'} is no field of a schedule`);
  return (value) => value % Number(step ?? 1) === 0;
}

/** When a schedule in UTC comes round next. It comes at least once a day. */
function nextTimeAfter(schedule: string, after: Date): Date {
  const [minute, hour, ...days] = schedule.split(' ');
  if (days.join(' ') !== '* * *') throw new Error(`${schedule} is no schedule of every day`);
  const [isMinute, isHour] = [matcherOf(minute), matcherOf(hour)];
  const first = Math.floor(after.getTime() / minuteMs) + 1;
  for (let at = first; at <= first + minutesPerDay; at += 1)
    if (isMinute(at % 60) && isHour(Math.floor(at / 60) % 24)) return new Date(at * minuteMs);
  throw new Error(`${schedule} never comes round`);
}

export interface ScheduleRuns {
  /** As cron writes it. */
  schedule: string;
  /** When a run last succeeded, or from when on one was to. */
  succeededAt: Date;
  mayTakeMs: number;
}

/** How long ago the next run after the last success should have succeeded; 0 before that. */
export function lateMs({ schedule, succeededAt, mayTakeMs }: ScheduleRuns, now: Date): number {
  return Math.max(0, now.getTime() - nextTimeAfter(schedule, succeededAt).getTime() - mayTakeMs);
}
