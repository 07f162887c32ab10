const soonestMs = 60_000;
const latestMs = 60 * 60_000;
/** A business that began and never went on. From then on it is looked at where the bank tells of news, or an admin asks. */
const polledForMs = 90 * 24 * 60 * 60_000;

/**
 * A tenth of the time since the last news: every minute at first, every hour later, and not by itself in the end. The same
 * where the bank could not be asked: one that it no longer knows would be asked for every minute, for ever.
 */
export function nextPollAt(lastNewsAt: Date, now: Date): Date | null {
  const stillForMs = now.getTime() - lastNewsAt.getTime();
  if (stillForMs > polledForMs) return null;
  return new Date(now.getTime() + Math.min(latestMs, Math.max(soonestMs, stillForMs / 10)));
}
