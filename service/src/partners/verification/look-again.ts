const soonestMs = 60_000;
const latestMs = 60 * 60_000;

/** After a failure to ask: nothing is known, so there is nothing to go by. */
export function afterFailure(now: Date): Date {
  return new Date(now.getTime() + soonestMs);
}

/** A tenth of the time that nothing has changed for: every minute at first, and every hour in the end. */
export function nextLookAt(changedAt: Date, now: Date): Date {
  const stillForMs = now.getTime() - changedAt.getTime();
  return new Date(now.getTime() + Math.min(latestMs, Math.max(soonestMs, stillForMs / 10)));
}
