const minutesOf = { hour: 60, day: 24 * 60, month: 31 * 24 * 60 };

/** How long its work and a retry may take. */
const graceMinutes = 15;
const dailyGraceMinutes = 2 * 60;

/** For a cron expression as our schedules have them: the longest time between two runs, with some for the work itself. */
export function longestPauseMinutes(cron: string): number {
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = cron.split(' ');
  if ([day, month, weekday].some((field) => field !== '*')) return minutesOf.month + dailyGraceMinutes;
  if (hour !== '*') return minutesOf.day + dailyGraceMinutes;
  const every = /^\*(?:\/(\d+))?$/.exec(minute);
  return (every === null ? minutesOf.hour : Number(every[1] ?? 1)) + graceMinutes;
}
