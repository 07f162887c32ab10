const soonestMs = 60_000;
const latestMs = 15 * 60_000;

/** Of a source that was just opened. */
export function firstReadAt(openedAt: Date): Date {
  return new Date(openedAt.getTime() + soonestMs);
}

/** After a failure to ask: nothing is known, so there is nothing to go by. */
export function afterFailure(now: Date): Date {
  return new Date(now.getTime() + soonestMs);
}

/**
 * Every minute where something is on its way; else after a tenth of the time for which nothing has come, every quarter of an
 * hour in the end. It is for webhooks that were lost: as a rule they say sooner.
 */
export function nextReadAt({ changedAt, hasPending }: { changedAt: Date; hasPending: boolean }, now: Date): Date {
  const stillForMs = now.getTime() - changedAt.getTime();
  const pauseMs = hasPending ? soonestMs : Math.min(latestMs, Math.max(soonestMs, stillForMs / 10));
  return new Date(now.getTime() + pauseMs);
}
